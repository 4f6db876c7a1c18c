import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool/tool.js'
import { CallEntry, type EntryRun } from './call-entry.js'

function entryOf(tool?: Partial<Tool>): CallEntry {
  const run = { host: {} } as EntryRun
  const entry = new CallEntry(0, { type: 'tool_use', id: 'one', name: 'Asked', input: {} }, run)
  entry.tool = tool as Tool | undefined
  return entry
}

test.each<[string, Partial<Tool> | undefined, 'cancel' | 'block']>([
  ['says cancel', { interruptBehavior: () => 'cancel' }, 'cancel'],
  ['says block', { interruptBehavior: () => 'block' }, 'block'],
  ['says nothing', {}, 'block'],
  ['is not known yet', undefined, 'block'],
  ['talks nonsense', { interruptBehavior: () => 'perhaps' as never }, 'block'],
  [
    'throws',
    {
      interruptBehavior: () => {
        throw new Error('what?')
      },
    },
    'block',
  ],
])('a call whose tool %s is to %3$s', (_, tool, behavior) => {
  expect(entryOf(tool).interruptBehavior).toBe(behavior)
})

test('a call that never began is answered with the reason', () => {
  const { block, error } = entryOf().unbegun({ type: 'aborted', message: 'Not needed any more.' })

  expect(error?.code).toBe('cancelled')
  expect(block).toMatchObject({ tool_use_id: 'one', is_error: true })
  expect(block.content).toContain('Not needed any more.')
})

test('a tool that is given a shell runs commands', () => {
  expect(entryOf({ needs: ['shell'] }).isShellCommand).toBe(true)
  expect(entryOf({ needs: ['files'] }).isShellCommand).toBe(false)
  expect(entryOf({}).isShellCommand).toBe(false)
})
