import { describe, expect, test } from 'vitest'
import { createPermissionContext } from '../../contract/permission/context.js'
import type { Tool } from '../../contract/tool/tool.js'
import { behaviorOf, createFixtureTool, decideOn } from '../fixture-calls.js'

const createContextAllowing = (
  rules: readonly string[],
  otherOptions: Parameters<typeof createPermissionContext>[0] = {},
) => createPermissionContext({ alwaysAllowRules: { session: rules }, ...otherOptions })

describe('an allow for a whole tool that does not depend on the input', () => {
  test('is decided once and reused for any input', async () => {
    const tool = createFixtureTool('Note')
    const permissions = createContextAllowing(['Note'])

    const first = await decideOn(tool, { a: 1 }, { permissions })
    const second = await decideOn(tool, { command: 'rm -rf /' }, { permissions })

    expect(first).toMatchObject({ behavior: 'allow', reason: { type: 'rule', rule: 'Note' } })
    expect(second).toBe(first)
  })

  test('does not apply to a later call that a hook denies or asks about', async () => {
    const tool = createFixtureTool('Note')
    const permissions = createContextAllowing(['Note'])
    await decideOn(tool, {}, { permissions })

    expect(await behaviorOf(tool, {}, { permissions, hook: { behavior: 'deny' } })).toBe('deny')
    expect(await behaviorOf(tool, {}, { permissions, hook: { behavior: 'ask' } })).toBe('ask')
  })

  test('is not reused if the rules or the mode are different', async () => {
    const tool = createFixtureTool('Note')
    await decideOn(tool, {}, { permissions: createContextAllowing(['Note']) })

    const denyContext = createContextAllowing(['Note'], { alwaysDenyRules: { session: ['Note'] } })
    expect(await behaviorOf(tool, {}, { permissions: denyContext })).toBe('deny')
    expect(await behaviorOf(tool, {}, { permissions: createContextAllowing([]) })).toBe('ask')
    expect(await behaviorOf(tool, {}, { permissions: createContextAllowing(['Note'], { mode: 'plan' }) })).toBe('deny')
  })
})

test('a cached allow for read-only calls is reused for read-only calls only', async () => {
  const tool = createFixtureTool('Look', { isReadOnly: (input: { write?: true }) => input.write !== true })
  const permissions = createContextAllowing([])

  const first = await decideOn(tool, {}, { permissions })
  expect(first).toMatchObject({ behavior: 'allow', reason: { type: 'directory' } })
  expect(await decideOn(tool, { more: 1 }, { permissions })).toBe(first)
  expect(await behaviorOf(tool, { write: true }, { permissions })).toBe('ask')
  expect(await behaviorOf(tool, {}, { permissions, hook: { behavior: 'ask' } })).toBe('ask')
})

/** Members of a tool that return different answers for two inputs. */
const INPUT_DEPENDENT_TOOLS: readonly [
  what: string,
  members: Partial<Tool>,
  rules: Parameters<typeof createPermissionContext>[0],
][] = [
  ['a path', { getPath: pathOf as (input: unknown) => string }, { alwaysDenyRules: { session: ['Edit(secret)'] } }],
  [
    'resources',
    { resources: (input) => ({ writes: [pathOf(input)].flatMap((path) => (path === undefined ? [] : [{ path }])) }) },
    { alwaysDenyRules: { session: ['Edit(secret)'] } },
  ],
  ['its own check', { checkPermissions: async (input) => checkByInput(input) }, {}],
  [
    'its own matcher',
    { preparePermissionMatcher: (input) => () => pathOf(input) === 'secret' },
    { alwaysDenyRules: { session: ['Look(x)'] } },
  ],
]

test.each(INPUT_DEPENDENT_TOOLS)(
  'a tool with %s that depends on the input is judged at each call',
  async (_, members, rules) => {
    const tool = createFixtureTool('Look', members)
    const permissions = createContextAllowing(['Look'], rules)

    expect(await behaviorOf(tool, {}, { permissions })).toBe('allow')
    expect(await behaviorOf(tool, { file_path: 'secret' }, { permissions })).toBe('deny')
  },
)

test('a rule with content is checked for each call', async () => {
  const tool = createFixtureTool('Fetch')
  const permissions = createContextAllowing(['Fetch'], { alwaysDenyRules: { session: ['Fetch(domain:bad.example)'] } })

  expect(await behaviorOf(tool, { url: 'https://good.example/' }, { permissions })).toBe('allow')
  expect(await behaviorOf(tool, { url: 'https://bad.example/' }, { permissions })).toBe('deny')
})

function pathOf(input: unknown): string | undefined {
  return (input as { file_path?: string }).file_path
}

function checkByInput(input: unknown) {
  return pathOf(input) === 'secret'
    ? ({ behavior: 'deny', message: 'no' } as const)
    : ({ behavior: 'passthrough' } as const)
}
