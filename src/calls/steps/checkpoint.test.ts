import { expect, test } from 'vitest'
import type { Tool } from '../../contract/tool/tool.js'
import { Cancellation } from '../cancellation.js'
import { createFixtureTool, FixtureHost, waitForever } from '../fixture-host.js'

async function runAndRecordSaves(members: Partial<Tool>) {
  const saves: unknown[] = []
  const host = new FixtureHost({
    tools: [createFixtureTool(members)],
    ask: async () => ({ behavior: 'allow' }),
    ports: { checkpoints: { save: async (...args) => void saves.push(args), settle: async () => {} } },
  })
  const { error } = await host.run('Echo', { text: 'x' })
  return { saves, error }
}

const writingMembers = { isReadOnly: () => false }

test.each<[string, Partial<Tool>, readonly unknown[]]>([
  ['is read-only saves nothing', {}, []],
  [
    'declares its writes saves the declared files',
    { ...writingMembers, resources: () => ({ writes: [{ path: 'a' }, { path: 'b/' }] }) },
    [['/project/a', '/project/b/'], false],
  ],
  [
    'declares things and files saves only the files',
    { ...writingMembers, resources: () => ({ writes: [{ thing: 'todo:list' }, { path: '/c' }] }) },
    [['/c'], false],
  ],
  ['declares no writes saves nothing', { ...writingMembers, resources: () => ({ reads: [{ path: 'a' }] }) }, []],
  [
    'may write more than it declares saves a checkpoint marked as unknown',
    { ...writingMembers, resources: () => ({ unknown: true }) },
    [[], true],
  ],
  [
    'has a path but declares no resources saves the path in a checkpoint marked as unknown',
    { ...writingMembers, getPath: () => 'a' },
    [['/project/a'], true],
  ],
  ['declares no resources saves a checkpoint marked as unknown', writingMembers, [[], true]],
])('a call that %s', async (_, members, [writes, unknown]) => {
  const expected =
    writes === undefined ? [] : [['toolu_1', writes, expect.objectContaining({ unknown, title: 'Echo' })]]

  expect((await runAndRecordSaves(members)).saves).toEqual(expected)
})

test.each<[string, Partial<Tool>, string]>([
  ['contains the summary of the call', { getToolUseSummary: () => 'mv a b' }, 'Echo mv a b'],
  ['is truncated to 200 characters', { getToolUseSummary: () => 'x'.repeat(500) }, `Echo ${'x'.repeat(195)}…`],
  ['is the tool name if there is no summary', { getToolUseSummary: () => null }, 'Echo'],
  [
    'is the tool name if the summary cannot be created',
    {
      getToolUseSummary: () => {
        throw new Error('no')
      },
    },
    'Echo',
  ],
])('the title of a checkpoint %s', async (_, members, title) => {
  expect((await runAndRecordSaves({ ...writingMembers, ...members })).saves).toEqual([
    ['toolu_1', [], { unknown: true, title }],
  ])
})

test('a call does not run if its checkpoint cannot be saved', async () => {
  let hasRun = false
  const host = new FixtureHost({
    tools: [
      createFixtureTool({
        ...writingMembers,
        call: async () => {
          hasRun = true
          return { data: 'x' }
        },
      }),
    ],
    allow: ['Echo'],
    ports: { checkpoints: { save: () => Promise.reject(new Error('disk full')), settle: async () => {} } },
  })

  expect(await host.getRefusal('Echo', { text: 'x' })).toEqual({
    code: 'tool_failed',
    text: 'Nothing was changed, because the current state could not be saved for undo: disk full',
  })
  expect(hasRun).toBe(false)
})

test('a call can be cancelled even if saving its checkpoint never ends', async () => {
  const cancellation = new Cancellation(60_000)
  const save = () => {
    queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
    return waitForever()
  }
  const checkpoints = { save, settle: async () => {} }
  const host = new FixtureHost({ tools: [createFixtureTool(writingMembers)], allow: ['Echo'], ports: { checkpoints } })

  expect((await host.getRefusal('Echo', { text: 'x' }, { cancellation })).code).toBe('cancelled')
})
