import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Tool } from '../contract/tool/tool.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { Cancellation } from './cancellation.js'
import { createFixtureTool, FixtureHost, waitForever } from './fixture-host.js'

test('a call has exactly one result block', async () => {
  const tool = createFixtureTool()

  expect(await new FixtureHost({ tools: [tool] }).run('Echo', { text: 'x' })).toEqual({
    block: { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' },
    output: 'x',
    tool,
  })
})

test('MCP tools go through the same steps as built-in tools', async () => {
  const tool = createFixtureMcpTool('server', 'find')
  const host = new FixtureHost({ tools: [tool], allow: ['mcp__server'] })

  expect((await host.run('mcp__server__find', { query: 'x' })).block.content).toBe('{"query":"x"}')
  expect((await host.getRefusal('mcp__server__find', {})).text).toContain('- query: is missing')
})

test('a tool can be called by an alias', async () => {
  const host = new FixtureHost({ tools: [createFixtureTool({ aliases: ['Say'] })] })

  expect((await host.run('Say', { text: 'x' })).block.content).toBe('x')
})

test('new messages and context modifiers are part of the outcome, but malformed ones are dropped', async () => {
  const contextModifier = (context: object) => context
  const newMessages = [{ type: 'system', content: 'hello' }]
  const runWithResult = (result: object) =>
    new FixtureHost({ tools: [createFixtureTool({ call: async () => ({ data: 'x', ...result }) as never })] }).run(
      'Echo',
      {
        text: 'x',
      },
    )

  expect(await runWithResult({ newMessages, contextModifier })).toMatchObject({ newMessages, contextModifier })
  expect(await runWithResult({ newMessages: 'x', contextModifier: 5 })).toMatchObject({
    newMessages: undefined,
    contextModifier: undefined,
  })
})

test('a call that is cancelled before its start does not run', async () => {
  const cancellation = new Cancellation(1)
  cancellation.cancel({ type: 'interrupted' })
  const host = new FixtureHost({ tools: [createFixtureTool({ validateInput: () => JSON.parse('{') })] })

  expect(await host.getRefusal('Echo', { text: 'x' }, { cancellation })).toEqual({
    code: 'cancelled',
    text: 'The user cancelled Echo. It had not started.',
  })
})

test('a call whose schema never resolves can be cancelled', async () => {
  const cancellation = new Cancellation(60_000)
  const validate = () => {
    queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
    return waitForever()
  }
  const inputSchema = { '~standard': { version: 1, vendor: 'test', validate } } as unknown as Tool['inputSchema']

  expect(
    (await new FixtureHost({ tools: [createFixtureTool({ inputSchema })] }).getRefusal('Echo', {}, { cancellation }))
      .code,
  ).toBe('cancelled')
})

test('a call that waits for admission after an input change can be cancelled', async () => {
  const cancellation = new Cancellation(60_000)
  const host = new FixtureHost({
    hooks: { PreToolUse: () => ({ hookSpecificOutput: { updatedInput: { text: 'y' } } }) },
  })
  const admit = () => {
    queueMicrotask(() => cancellation.cancel({ type: 'aborted' }))
    return waitForever()
  }

  expect((await host.getRefusal('Echo', { text: 'x' }, { cancellation, admit })).code).toBe('cancelled')
})

test('a call is admitted by its run before its tool runs', async () => {
  const order: string[] = []
  const tool = createFixtureTool({
    call: async () => {
      order.push('call')
      return { data: 'x' }
    },
  })

  await new FixtureHost({ tools: [tool] }).run('Echo', { text: 'x' }, { admit: () => void order.push('admitted') })

  expect(order).toEqual(['admitted', 'call'])
})

test('a hook that hangs delays a cancelled call by at most the grace period', async () => {
  const cancellation = new Cancellation(1)
  const host = new FixtureHost({
    tools: [
      createFixtureTool({
        call: () => {
          queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
          return waitForever()
        },
      }),
    ],
    hooks: { PostToolUseFailure: waitForever },
  })

  expect((await host.getRefusal('Echo', { text: 'x' }, { cancellation })).code).toBe('abandoned')
})

test.each([
  ['the directory', { directory: () => JSON.parse('{') }],
  ['the permission context', { permissions: () => JSON.parse('{') }],
  ['the limiter', { limit: () => JSON.parse('{') }],
])('a failure of %s becomes an error result', async (_, brokenMember) => {
  const host = new FixtureHost()
  Object.assign(host.environment, brokenMember)

  expect((await host.run('Echo', { text: 'x' })).block.is_error).toBe(true)
})

test('a thrown value that is not an error becomes an error result', async () => {
  const host = new FixtureHost({
    directory: () => {
      throw Object.create(null)
    },
  })

  expect((await host.run('Echo', { text: 'x' })).block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: 'The call failed without an error message.',
    is_error: true,
  })
})

const behaviours = {
  answers: (value: unknown) => value,
  throws: () => {
    throw new Error('no')
  },
  'throws undefined': () => {
    throw undefined
  },
  rejects: () => Promise.reject(Object.create(null)),
  'never ends': waitForever,
  'returns a malformed result': () => 5,
} as const
const behaviour = fc.constantFrom(...Object.values(behaviours))
const mostlyValidBehaviour = fc.oneof({ weight: 3, arbitrary: fc.constant(behaviours.answers) }, behaviour)

test('a call has exactly one result, however its tool, hooks and schema behave', async () => {
  const behaviourPlan = fc.record({
    validate: mostlyValidBehaviour,
    check: mostlyValidBehaviour,
    call: mostlyValidBehaviour,
    map: mostlyValidBehaviour,
    pre: mostlyValidBehaviour,
    post: mostlyValidBehaviour,
    failure: mostlyValidBehaviour,
    ask: mostlyValidBehaviour,
    isReadOnly: fc.boolean(),
    hasHooks: fc.boolean(),
    cancelAfter: fc.integer({ min: 0, max: 30 }),
  })
  await fc.assert(
    fc.asyncProperty(behaviourPlan, async (plan) => {
      const cancellation = new Cancellation(1)
      const tool = createFixtureTool({
        isReadOnly: () => plan.isReadOnly,
        validateInput: () => plan.validate({ result: true }) as never,
        checkPermissions: () => plan.check({ behavior: 'passthrough' }) as never,
        call: () => plan.call(Promise.resolve({ data: 'x' })) as never,
        mapToolResultToToolResultBlockParam: (_, id) =>
          plan.map({ type: 'tool_result', tool_use_id: id, content: 'x' }) as never,
      })
      const host = new FixtureHost({
        tools: [tool],
        ask: () => plan.ask(Promise.resolve({ behavior: 'allow' })) as never,
        ...(plan.hasHooks && {
          hooks: {
            PreToolUse: () => plan.pre({}),
            PostToolUse: () => plan.post({}),
            PostToolUseFailure: () => plan.failure({}),
          },
        }),
      })
      const outcome = host.run('Echo', { text: 'x' }, { cancellation })
      // Cancels the call after some microtasks, so at any step. A call that never ends is cancelled after 1 ms.
      for (let turn = 0; turn < plan.cancelAfter; turn++) await Promise.resolve()
      if (plan.cancelAfter < 30) cancellation.cancel({ type: 'interrupted' })
      else setTimeout(() => cancellation.cancel({ type: 'aborted' }), 1)

      const { block, error } = await outcome

      expect(block).toMatchObject({ type: 'tool_result', tool_use_id: 'toolu_1', content: expect.any(String) })
      expect(block.is_error === true).toBe(error !== undefined)
    }),
    createPropertyOptions(),
  )
})
