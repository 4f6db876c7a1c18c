import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { createPermissionContext } from '../contract/permission/context.js'
import { buildTool } from '../contract/tool/build-tool.js'
import { createFixtureMcpTool } from '../testing/fixture-mcp-tool.js'
import { type TimedOutTools, toolDefinitions } from './tool-definitions.js'

const options = { toolPermissionContext: createPermissionContext(), agentDefinitions: [] }
const call = async () => ({ data: 1 })

test('a tool definition has the format of the provider', async () => {
  const tool = buildTool({
    name: 'T',
    description: 'short',
    prompt: 'long',
    strict: true,
    inputSchema: z.object({ a: z.string() }),
    call,
  })

  expect(await toolDefinitions([tool], options)).toEqual({
    definitions: [
      {
        name: 'T',
        description: 'long',
        input_schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        strict: true,
      },
    ],
    problems: [],
  })
})

test('a tool whose schema is nested too deeply is left out, and the others are described', async () => {
  const deepSchema = JSON.parse(`${'{"properties":{"a":'.repeat(20_000)}{}${'}}'.repeat(20_000)}`)
  const cyclicSchema: Record<string, unknown> = { type: 'object' }
  cyclicSchema.properties = { again: cyclicSchema }
  const nestedSchema = JSON.parse(`${'{"properties":{"a":'.repeat(50)}{}${'}}'.repeat(50)}`)
  const pool = [
    createFixtureMcpTool('evil', 'deep', { schema: { type: 'object', ...deepSchema } }),
    createFixtureMcpTool('evil', 'cyclic', { schema: cyclicSchema }),
    createFixtureMcpTool('good', 'nested', { schema: { type: 'object', ...nestedSchema } }),
  ]

  const { definitions, problems } = await toolDefinitions(pool, options)

  expect(definitions.map(({ name }) => name)).toEqual(['mcp__good__nested'])
  expect(problems.map(({ toolName, member }) => [toolName, member])).toEqual([
    ['mcp__evil__deep', 'inputJSONSchema'],
    ['mcp__evil__cyclic', 'inputJSONSchema'],
  ])
})

test('a tool that cannot be described is reported and left out, and the others work', async () => {
  const goodTool = createFixtureMcpTool('s', 'good')
  const pool = [
    buildTool({ name: 'Dates', description: 'd', inputSchema: z.object({ when: z.date() }), call }),
    goodTool,
    buildTool({
      name: 'Throws',
      prompt: () => {
        throw new Error('thrown by the prompt')
      },
      inputSchema: z.object({}),
      call,
    }),
    buildTool({
      name: 'Rejects',
      prompt: async () => Promise.reject(new Error('rejected by the prompt')),
      inputSchema: z.object({}),
      call,
    }),
    buildTool({ name: 'Numbers', prompt: () => 7 as unknown as string, inputSchema: z.object({}), call }),
  ]

  const { definitions, problems } = await toolDefinitions(pool, options)

  expect(definitions.map(({ name }) => name)).toEqual([goodTool.name])
  expect(problems.map(({ code, toolName, member }) => [code, toolName, member])).toEqual([
    ['schema_not_convertible', 'Dates', 'inputSchema'],
    ['member_invalid', 'Throws', 'prompt'],
    ['member_invalid', 'Rejects', 'prompt'],
    ['member_invalid', 'Numbers', 'prompt'],
  ])
})

test('the definitions of an unchanged pool are the same object', async () => {
  const pool = Object.freeze([createFixtureMcpTool('s', 'one')])

  expect(await toolDefinitions(pool, options)).toBe(await toolDefinitions(pool, { ...options }))
})

test('when a server connects, the definitions of the known tools are reused', async () => {
  let promptCalls = 0
  const knownTool = buildTool({ name: 'K', prompt: () => `${++promptCalls}`, inputSchema: z.object({}), call })
  const definitionsBefore = await toolDefinitions(Object.freeze([knownTool]), options)

  const definitionsAfter = await toolDefinitions(Object.freeze([knownTool, createFixtureMcpTool('s', 'new')]), options)

  expect(definitionsAfter.definitions[0]).toBe(definitionsBefore.definitions[0])
  expect(promptCalls).toBe(1)
})

test('a prompt that reads the permissions is computed again when they change', async () => {
  const tool = buildTool({
    name: 'M',
    prompt: ({ toolPermissionContext }) => toolPermissionContext.mode,
    inputSchema: z.object({}),
    call,
  })
  const pool = Object.freeze([tool])
  const planModeOptions = { ...options, toolPermissionContext: createPermissionContext({ mode: 'plan' }) }

  expect((await toolDefinitions(pool, options)).definitions[0]?.description).toBe('default')
  expect((await toolDefinitions(pool, planModeOptions)).definitions[0]?.description).toBe('plan')
})

test('a prompt that reads the permissions through rest parameters is computed again when they change', async () => {
  const prompt = (...promptArguments: { toolPermissionContext: { mode: string } }[]) =>
    promptArguments[0]?.toolPermissionContext.mode ?? ''
  const pool = Object.freeze([buildTool({ name: 'R', prompt, inputSchema: z.object({}), call })])
  const planModeOptions = { ...options, toolPermissionContext: createPermissionContext({ mode: 'plan' }) }

  expect((await toolDefinitions(pool, options)).definitions[0]?.description).toBe('default')
  expect((await toolDefinitions(pool, planModeOptions)).definitions[0]?.description).toBe('plan')
})

test('a prompt that failed once is computed again', async () => {
  let attempts = 0
  const prompt = () => {
    if (attempts++ === 0) throw new Error('not yet')
    return 'ready'
  }
  const pool = Object.freeze([buildTool({ name: 'L', prompt, inputSchema: z.object({}), call })])

  expect((await toolDefinitions(pool, options)).problems).toHaveLength(1)
  expect((await toolDefinitions(pool, options)).definitions[0]?.description).toBe('ready')
})

test('a prompt that times out is awaited again only by another runtime', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const goodTool = createFixtureMcpTool('s', 'prompt')
  const hangingTool = buildTool({
    name: 'H',
    prompt: () => new Promise<string>(() => {}),
    inputSchema: z.object({}),
    call,
  })
  const pool = Object.freeze([hangingTool, goodTool])

  const timedOutTools: TimedOutTools = new WeakMap()

  const first = toolDefinitions(pool, options, timedOutTools)
  await vi.runAllTimersAsync()

  expect((await first).definitions.map(({ name }) => name)).toEqual([goodTool.name])
  expect((await first).problems[0]?.message).toContain('returned no text within 10 s')
  expect((await toolDefinitions(pool, options, timedOutTools)).problems).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
  void toolDefinitions(pool, options, new WeakMap())
  expect(vi.getTimerCount()).toBe(1)
})
