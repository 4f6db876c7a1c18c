import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool/tool.js'
import { Call, type RunOfCall } from './call.js'
import { FixtureHost } from './fixture-host.js'
import { toErrorOutcome } from './perform-call.js'

function createCall(tool?: Partial<Tool>): Call {
  const { environment } = new FixtureHost()
  const call = new Call({} as RunOfCall, {
    ...{ index: 0, messages: [], parentMessage: { type: 'assistant', content: [] } },
    toolUse: { type: 'tool_use', id: 'one', name: 'Asked', input: {} },
    environment,
    location: { cwd: '/project', options: environment.contextOptions.options },
  })
  call.tool = tool as Tool | undefined
  return call
}

test.each<[string, 'cancel' | 'block', Partial<Tool> | undefined]>([
  ['returns cancel', 'cancel', { interruptBehavior: () => 'cancel' }],
  ['returns block', 'block', { interruptBehavior: () => 'block' }],
  ['has no interruptBehavior', 'block', {}],
  ['is unknown', 'block', undefined],
  ['returns an invalid value', 'block', { interruptBehavior: () => 'perhaps' as never }],
  [
    'throws',
    'block',
    {
      interruptBehavior: () => {
        throw new Error('what?')
      },
    },
  ],
])('the interrupt behaviour of a call whose tool %s is %s', (_, behavior, tool) => {
  expect(createCall(tool).interruptBehavior).toBe(behavior)
})

test('a call that is cancelled before its start gets an error result with the reason', () => {
  const call = createCall()
  const { block, error } = toErrorOutcome(
    call,
    call.cancelBeforeStart({ type: 'aborted', message: 'Not needed any more.' }),
  )

  expect(error?.code).toBe('cancelled')
  expect(block).toMatchObject({ tool_use_id: 'one', is_error: true })
  expect(block.content).toContain('Not needed any more.')
})

test('only a tool that needs the shell port runs shell commands', () => {
  expect(createCall({ needs: ['shell'] }).runsShellCommand).toBe(true)
  expect(createCall({ needs: ['files'] }).runsShellCommand).toBe(false)
  expect(createCall({}).runsShellCommand).toBe(false)
})
