import { expect, test } from 'vitest'
import type { Tool } from '../../contract/tool/tool.js'
import { Cancellation } from '../cancellation.js'
import { FixtureHost, fixtureTool, never } from '../fixture-host.js'

async function savedBy(members: Partial<Tool>) {
  const saved: unknown[] = []
  const host = new FixtureHost({
    tools: [fixtureTool(members)],
    ask: async () => ({ behavior: 'allow' }),
    ports: { checkpoints: { save: async (...args) => void saved.push(args), settle: async () => {} } },
  })
  const { error } = await host.run('Echo', { text: 'x' })
  return { saved, error }
}

const writing = { isReadOnly: () => false }

test.each<[string, Partial<Tool>, readonly unknown[]]>([
  ['is read-only', {}, []],
  [
    'declares its writes',
    { ...writing, resources: () => ({ writes: [{ path: 'a' }, { path: 'b/' }] }) },
    [['/project/a', '/project/b/'], false],
  ],
  [
    'declares things',
    { ...writing, resources: () => ({ writes: [{ thing: 'todo:list' }, { path: '/c' }] }) },
    [['/c'], false],
  ],
  ['declares no writes', { ...writing, resources: () => ({ reads: [{ path: 'a' }] }) }, []],
  ['may write more than it declares', { ...writing, resources: () => ({ unknown: true }) }, [[], true]],
  ['has a path but declares no resources', { ...writing, getPath: () => 'a' }, [['/project/a'], true]],
  ['declares no resources', writing, [[], true]],
])('the checkpoint of a call that %s', async (_, members, [writes, unknown]) => {
  const expected = writes === undefined ? [] : [['toolu_1', writes, { unknown, title: 'Echo' }]]

  expect((await savedBy(members)).saved).toEqual(expected)
})

test.each<[string, Partial<Tool>, string]>([
  ['has a summary', { getToolUseSummary: () => 'mv a b' }, 'Echo mv a b'],
  ['has a long summary', { getToolUseSummary: () => 'x'.repeat(500) }, `Echo ${'x'.repeat(195)}…`],
  ['has no summary', { getToolUseSummary: () => null }, 'Echo'],
  [
    'fails to create its summary',
    {
      getToolUseSummary: () => {
        throw new Error('no')
      },
    },
    'Echo',
  ],
])('the title of a checkpoint of a call that %s', async (_, members, title) => {
  expect((await savedBy({ ...writing, ...members })).saved).toEqual([['toolu_1', [], { unknown: true, title }]])
})

test('a call does not run if its checkpoint cannot be saved', async () => {
  let hasRun = false
  const host = new FixtureHost({
    tools: [
      fixtureTool({
        ...writing,
        call: async () => {
          hasRun = true
          return { data: 'x' }
        },
      }),
    ],
    allow: ['Echo'],
    ports: { checkpoints: { save: () => Promise.reject(new Error('disk full')), settle: async () => {} } },
  })

  expect(await host.refusal('Echo', { text: 'x' })).toEqual({
    code: 'tool_failed',
    text: 'Nothing was changed, because the current state could not be saved for undo: disk full',
  })
  expect(hasRun).toBe(false)
})

test('a checkpoint that never ends does not keep the call running', async () => {
  const cancellation = new Cancellation(60_000)
  const save = () => {
    queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
    return never()
  }
  const checkpoints = { save, settle: async () => {} }
  const host = new FixtureHost({ tools: [fixtureTool(writing)], allow: ['Echo'], ports: { checkpoints } })

  expect((await host.refusal('Echo', { text: 'x' }, { cancellation })).code).toBe('cancelled')
})
