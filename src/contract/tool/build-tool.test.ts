import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createPermissionContext } from '../permission/context.js'
import { buildTool } from './build-tool.js'
import { hasDefault } from './traits.js'

const options = { toolPermissionContext: createPermissionContext(), tools: [], agentDefinitions: [] }

const Greet = buildTool({
  name: 'Greet',
  description: 'Greets a person',
  inputSchema: z.object({ who: z.string() }),
  async call({ who }) {
    return { data: `Hello, ${who}` }
  },
})

describe('what is left out costs speed, never safety', () => {
  test('the tool is enabled', () => expect(Greet.isEnabled()).toBe(true))
  test('it does not run beside others', () => expect(Greet.isConcurrencySafe()).toBe(false))
  test('it is not read-only', () => expect(Greet.isReadOnly()).toBe(false))
  test('it is not destructive', () => expect(Greet.isDestructive()).toBe(false))
  test('it hands permission on with the same input', () => {
    const input = { who: 'you' }
    expect(Greet.checkPermissions(input)).toEqual({ behavior: 'allow', updatedInput: input })
    expect(hasDefault(Greet, 'checkPermissions')).toBe(true)
  })
  test('the classifier has no say', () => expect(Greet.toAutoClassifierInput()).toBe(''))
  test('people see its name', () => expect(Greet.userFacingName()).toBe('Greet'))
  test('the model reads the description', () => expect(Greet.prompt(options)).toBe('Greets a person'))
  test('results over 50,000 characters go to a file', () => expect(Greet.maxResultSizeChars).toBe(50_000))
})

test('an allow of its own is told apart from the default', () => {
  const own = buildTool({
    name: 'Own',
    description: 'd',
    inputSchema: z.object({}),
    checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
    call: async () => ({ data: 1 }),
  })

  expect(hasDefault(own, 'checkPermissions')).toBe(false)
})

test('the default is known to every copy of the package', async () => {
  vi.resetModules()
  const other = await import('./build-tool.js')
  const foreign = other.buildTool({
    name: 'F',
    description: 'd',
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(other.buildTool).not.toBe(buildTool)
  expect(hasDefault(foreign, 'checkPermissions')).toBe(true)
})

test('undefined counts as left out', () => {
  const definition = {
    name: 'Loose',
    description: 'd',
    inputSchema: z.object({}),
    isReadOnly: undefined,
    checkPermissions: undefined,
    call: async () => ({ data: 1 }),
  }

  const tool = buildTool(definition as unknown as Omit<typeof definition, 'isReadOnly' | 'checkPermissions'>)

  expect(tool.isReadOnly()).toBe(false)
  expect(tool.checkPermissions({})).toEqual({ behavior: 'allow', updatedInput: {} })
})

test('a prompt stands in for a missing description', () => {
  const tool = buildTool({
    name: 'P',
    prompt: 'Use it well',
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(tool.description({}, { ...options, isNonInteractiveSession: true })).toBe('Use it well')
})

test('a prompt that looks at permissions stands in for a missing description, too', () => {
  const tool = buildTool({
    name: 'P',
    prompt: ({ toolPermissionContext }) => toolPermissionContext.mode,
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(tool.description({}, { ...options, isNonInteractiveSession: false })).toBe('default')
})

test('a description that cannot do without an input says that a prompt is needed', () => {
  const tool = buildTool({
    name: 'D',
    description: ({ path }) => path.slice(1),
    inputSchema: z.object({ path: z.string() }),
    call: async () => ({ data: 1 }),
  })

  expect(() => tool.prompt(options)).toThrow('is required, because the description depends on the input')
})

test('a description that looks at the input gives the prompt with an empty one', () => {
  const tool = buildTool({
    name: 'D',
    description: (input) => `about ${input.topic ?? 'anything'}`,
    inputSchema: z.object({ topic: z.string().optional() }),
    call: async () => ({ data: 1 }),
  })

  expect(tool.prompt(options)).toBe('about anything')
})

describe('a result without a mapper', () => {
  test.each([
    ['text as it is', 'done', 'done'],
    ['data as JSON', { files: 2 }, '{"files":2}'],
    ['nothing as no text', undefined, ''],
  ])('goes to the model as %s', (_, output, content) => {
    expect(Greet.mapToolResultToToolResultBlockParam(output, 'toolu_1')).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content,
    })
  })
})

describe('the line for a call', () => {
  test('is the name while nothing of the input has arrived', () => expect(Greet.renderToolUseMessage({})).toBe('Greet'))
  test('holds the first text of the input', () => expect(Greet.renderToolUseMessage({ who: 'you' })).toBe('Greet(you)'))
  test('is one short line whatever the input is', () => {
    const line = Greet.renderToolUseMessage({ who: `a\nb${'🙂'.repeat(100)}` })
    expect(line).toBe(`Greet(a b${'🙂'.repeat(46)}…)`)
  })
  test('costs the same for an input of any size', () => {
    expect(Greet.renderToolUseMessage({ who: 'x'.repeat(50_000_000) })).toBe(`Greet(${'x'.repeat(49)}…)`)
  })
  test('is the name where the summary fails or nothing has come', () => {
    const tool = buildTool({
      name: 'S',
      description: 'd',
      inputSchema: z.object({ a: z.string() }),
      getToolUseSummary: (input) => (input as { a: string }).a.trim(),
      call: async () => ({ data: 1 }),
    })
    expect(tool.renderToolUseMessage({})).toBe('S')
    expect(Greet.renderToolUseMessage(undefined as unknown as object)).toBe('Greet')
  })
  test('holds the summary where the tool gives one', () => {
    const tool = buildTool({
      name: 'S',
      description: 'd',
      inputSchema: z.object({ a: z.string() }),
      getToolUseSummary: (input) => input?.a?.toUpperCase() ?? null,
      call: async () => ({ data: 1 }),
    })
    expect(tool.renderToolUseMessage({ a: 'x' })).toBe('S(X)')
    expect(tool.renderToolUseMessage({})).toBe('S')
  })
})

test('a built tool cannot be changed afterwards', () => {
  const server = { serverName: 'one', toolName: 't' }
  const remote = buildTool({
    name: 'R',
    isMcp: true,
    mcpInfo: server,
    description: 'd',
    inputJSONSchema: { type: 'object' },
    call: async () => ({ data: 1 }),
  })

  expect(() => Object.assign(Greet, { isReadOnly: () => true })).toThrow(TypeError)
  expect(() => Object.assign(server, { serverName: 'other' })).toThrow(TypeError)
  expect(remote.mcpInfo.serverName).toBe('one')
})
