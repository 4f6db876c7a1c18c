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

describe('by default', () => {
  test('the tool is enabled', () => expect(Greet.isEnabled()).toBe(true))
  test('the tool does not run in parallel with other calls', () => expect(Greet.isConcurrencySafe()).toBe(false))
  test('the tool is not read-only', () => expect(Greet.isReadOnly()).toBe(false))
  test('the tool is not destructive', () => expect(Greet.isDestructive()).toBe(false))
  test('checkPermissions allows the call with the same input', () => {
    const input = { who: 'you' }
    expect(Greet.checkPermissions(input)).toEqual({ behavior: 'allow', updatedInput: input })
    expect(hasDefault(Greet, 'checkPermissions')).toBe(true)
  })
  test('the classifier gets no input', () => expect(Greet.toAutoClassifierInput()).toBe(''))
  test('the user sees the name of the tool', () => expect(Greet.userFacingName()).toBe('Greet'))
  test('the model reads the description', () => expect(Greet.prompt(options)).toBe('Greets a person'))
  test('results over 50,000 characters are written to a file', () => expect(Greet.maxResultSizeChars).toBe(50_000))
})

test('a tool that allows calls itself is distinguished from one with the default permission check', () => {
  const tool = buildTool({
    name: 'Own',
    description: 'd',
    inputSchema: z.object({}),
    checkPermissions: (input) => ({ behavior: 'allow', updatedInput: input }),
    call: async () => ({ data: 1 }),
  })

  expect(hasDefault(tool, 'checkPermissions')).toBe(false)
})

test('the defaults of a tool are recognised even if another copy of the package built it', async () => {
  vi.resetModules()
  const otherCopy = await import('./build-tool.js')
  const tool = otherCopy.buildTool({
    name: 'F',
    description: 'd',
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(otherCopy.buildTool).not.toBe(buildTool)
  expect(hasDefault(tool, 'checkPermissions')).toBe(true)
})

test('a member of a tool definition that is undefined gets its default', () => {
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

test('the description defaults to the prompt', () => {
  const tool = buildTool({
    name: 'P',
    prompt: 'Use it well',
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(tool.description({}, { ...options, isNonInteractiveSession: true })).toBe('Use it well')
})

test('the description also defaults to a prompt that depends on permissions', () => {
  const tool = buildTool({
    name: 'P',
    prompt: ({ toolPermissionContext }) => toolPermissionContext.mode,
    inputSchema: z.object({}),
    call: async () => ({ data: 1 }),
  })

  expect(tool.description({}, { ...options, isNonInteractiveSession: false })).toBe('default')
})

test('the default prompt reports that a prompt is required if the description fails without an input', () => {
  const tool = buildTool({
    name: 'D',
    description: ({ path }) => path.slice(1),
    inputSchema: z.object({ path: z.string() }),
    call: async () => ({ data: 1 }),
  })

  expect(() => tool.prompt(options)).toThrow('is required, because the description depends on the input')
})

test('a description that depends on the input is called with an empty input for the prompt', () => {
  const tool = buildTool({
    name: 'D',
    description: (input) => `about ${input.topic ?? 'anything'}`,
    inputSchema: z.object({ topic: z.string().optional() }),
    call: async () => ({ data: 1 }),
  })

  expect(tool.prompt(options)).toBe('about anything')
})

describe('without a mapper, a result', () => {
  test.each([
    ['an unchanged string', 'done', 'done'],
    ['JSON for other data', { files: 2 }, '{"files":2}'],
    ['an empty string for undefined', undefined, ''],
  ])('is sent as %s', (_, output, content) => {
    expect(Greet.mapToolResultToToolResultBlockParam(output, 'toolu_1')).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content,
    })
  })
})

describe('the default message of a call', () => {
  test('is the name of the tool while the input is empty', () => expect(Greet.renderToolUseMessage({})).toBe('Greet'))
  test('contains the first string of the input', () =>
    expect(Greet.renderToolUseMessage({ who: 'you' })).toBe('Greet(you)'))
  test('is one short line for any input', () => {
    const line = Greet.renderToolUseMessage({ who: `a\nb${'🙂'.repeat(100)}` })
    expect(line).toBe(`Greet(a b${'🙂'.repeat(46)}…)`)
  })
  test('contains only the start of a huge input', () => {
    expect(Greet.renderToolUseMessage({ who: 'x'.repeat(50_000_000) })).toBe(`Greet(${'x'.repeat(49)}…)`)
  })
  test('is the name of the tool if the summary fails and the input is empty', () => {
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
  test('contains the summary if the tool has one', () => {
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

test('a built tool is frozen', () => {
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
