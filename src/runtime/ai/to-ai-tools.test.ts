import { asSchema, generateText, stepCountIs, type ToolSet } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../../contract/tool/build-tool.js'
import { ToolSearchTool } from '../../tools/tool-search/tool.js'
import { createToolRuntime } from '../create-tool-runtime.js'
import { createLiveAiTools, toAiTools } from './to-ai-tools.js'
import { toModelOutput } from './to-model-output.js'

const log: string[] = []
const Log = buildTool({
  name: 'Log',
  description: 'Writes down when it begins and ends',
  inputSchema: z.object({ text: z.string(), chars: z.number().default(0) }),
  maxResultSizeChars: 150_000,
  async call({ text, chars }) {
    log.push(`+${text}`)
    await new Promise((resolve) => setImmediate(resolve))
    log.push(`-${text}`)
    return { data: text + 'x'.repeat(chars) }
  },
})

async function setUpLogTool() {
  log.length = 0
  const runtime = createToolRuntime({ tools: [Log], permissions: { allow: ['Log'] } })
  const tools = await toAiTools(runtime)
  const messages: unknown[] = []
  const execute = (id: string, input: object, step: readonly unknown[] = messages, abortSignal?: AbortSignal) =>
    tools.Log?.execute(input, { toolCallId: id, messages: step, ...(abortSignal && { abortSignal }) })
  return { runtime, tools, execute }
}

test('toAiTools converts only callable tools', async () => {
  const runtime = createToolRuntime({ tools: [Log, ToolSearchTool], toolSearch: { carrier: 'native' } })

  expect(await runtime.definitions()).toHaveLength(3)
  expect(Object.keys(await toAiTools(runtime))).toEqual(['Log', 'ToolSearch'])
})

describe('a tool of the AI SDK', () => {
  test('matches the types of the SDK, and sends the schema unchanged', async () => {
    const { tools } = await setUpLogTool()
    const set: ToolSet = tools

    const { jsonSchema, validate } = asSchema(set.Log?.inputSchema)

    expect(set.Log?.description).toBe('Writes down when it begins and ends')
    expect(await jsonSchema).toEqual({
      type: 'object',
      properties: { text: { type: 'string' }, chars: { default: 0, type: 'number' } },
      required: ['text'],
    })
    expect(await validate?.({ text: 7 })).toEqual({ success: true, value: { text: 7 } })
  })

  test('is scheduled by the runtime: conflicting calls of a step run one by one', async () => {
    const { execute } = await setUpLogTool()

    const results = await Promise.all([execute('a', { text: 'a' }), execute('b', { text: 'b' })])

    expect(log).toEqual(['+a', '-a', '+b', '-b'])
    expect(results.map((result) => result?.content)).toEqual(['a', 'b'])
  })

  test('accepts a further call of a step whose other calls have ended', async () => {
    const { execute, runtime } = await setUpLogTool()

    await execute('a', { text: 'a' })
    const lateResult = await execute('b', { text: 'b' })

    expect(lateResult?.content).toBe('b')
    await runtime.dispose()
  })

  test('shares the result budget with the other calls of its step', async () => {
    const { execute, runtime } = await setUpLogTool()
    const longInput = { text: 'a', chars: 120_000 }

    const stepResults = await Promise.all([execute('a', longInput), execute('b', longInput)])
    const otherStepResult = await execute('c', longInput, [])
    await runtime.dispose()

    expect(stepResults.map((result) => String(result?.content).startsWith('[Long result'))).toEqual([false, true])
    expect(String(otherStepResult?.content).length).toBe(120_001)
  })

  test('throws the error text when a call fails', async () => {
    const { execute } = await setUpLogTool()

    await expect(execute('a', { text: 7 })).rejects.toThrow(/^InputValidationError.*\n- text/)
  })

  test('is cancelled with the step', async () => {
    const { execute } = await setUpLogTool()

    await expect(execute('a', { text: 'a' }, [], AbortSignal.abort())).rejects.toThrow(/cancelled/)
    expect(log).toEqual([])
  })
})

test('toModelOutput keeps images and documents', () => {
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' } as const
  const output = toModelOutput({
    type: 'tool_result',
    tool_use_id: 'a',
    content: [
      { type: 'text', text: 'text' },
      { type: 'image', source },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { ...source, media_type: 'application/pdf' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'tool_reference', tool_name: 'Later' },
    ],
  })

  expect(output).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: 'text' },
      { type: 'image-data', data: 'AAAA', mediaType: 'image/png' },
      { type: 'image-url', url: 'https://example.com/a.png' },
      { type: 'file-data', data: 'AAAA', mediaType: 'application/pdf', filename: 'a.pdf' },
      { type: 'file-url', url: 'https://example.com/a.pdf' },
      { type: 'text', text: '[tool Later]' },
    ],
  })
})

test('a deferred tool can be called in the step after ToolSearch has loaded it', async () => {
  const createDeferred = (name: string) =>
    buildTool({
      name,
      description: `Waits to be found. ${'It has a long description. '.repeat(20)}`,
      searchHint: 'find a rare thing',
      shouldDefer: true,
      inputSchema: z.object({}),
      call: async () => ({ data: 'found' }),
    })
  const others = Array.from({ length: 60 }, (_, index) => createDeferred(`Other${index}`))
  const runtime = createToolRuntime({
    tools: [Log, createDeferred('Later'), ...others, ToolSearchTool],
    permissions: { allow: ['Later'] },
    toolSearch: { mode: 'true', carrier: 'portable' },
  })
  expect((await runtime.definitions()).map(({ name }) => name)).toEqual(['Log', 'ToolSearch'])
  const { tools, prepareStep } = await createLiveAiTools(runtime)
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const offeredTools: string[][] = []
  const calls = [
    { toolName: 'ToolSearch', input: '{"query":"select:Later"}' },
    { toolName: 'Later', input: '{}' },
  ]
  const model = new MockLanguageModelV3({
    async doGenerate({ tools: offered = [] }) {
      offeredTools.push(offered.map(({ name }) => name))
      const call = calls[offeredTools.length - 1]
      return {
        content: call
          ? [{ type: 'tool-call', toolCallId: `call_${offeredTools.length}`, ...call }]
          : [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: call ? 'tool-calls' : 'stop', raw: undefined },
        usage,
        warnings: [],
      }
    },
  })
  const { steps, text } = await generateText({ model, prompt: 'Find it', tools, prepareStep, stopWhen: stepCountIs(5) })
  await runtime.dispose()

  expect(text).toBe('Done.')
  expect(offeredTools[0]).toEqual(['Log', 'ToolSearch'])
  expect(offeredTools[1]).toContain('Later')
  expect(steps[1]?.toolResults.map(({ output }) => output)).toMatchObject([{ content: 'found' }])
})
