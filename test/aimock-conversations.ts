import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Model, ModelBlock, ModelEvent, ModelMessage, ModelRequest } from '../src/contract/model/model.js'
import { type Fetch, httpFetch } from '../src/providers/http/http-fetch.js'
import { joinPieces, listBlocks, tryModel } from '../src/testing/models/try-model.js'

type Fixture = Parameters<LLMock['on']>

export interface ProviderCase {
  readonly name: string
  readonly open: (url: string, fetch: Fetch) => Model
  /** The finish reason that makes aimock refuse; undefined if its response then differs from the real API. */
  readonly refusal: string | undefined
  /** Whether aimock sends half a call as configured; for some APIs it completes the call. */
  readonly sendsHalfCalls: boolean
}

const FILE_PATHS = Array.from({ length: 10 }, (_, index) => `/project/file-${index}.txt`)
const QUESTION: ModelMessage = { type: 'user', content: 'Read the files' }

function createRequest(...messages: readonly ModelMessage[]): ModelRequest {
  const input_schema = { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] }
  const tools = [{ name: 'Read', description: 'Reads a file', input_schema }]
  return {
    system: ['You are a test.'],
    tools,
    builtInTools: 1,
    messages: [QUESTION, ...messages],
    maxOutputTokens: 1000,
  }
}

function createReadCall(path: string, index = 0): { name: string; arguments: string; id: string } {
  return { name: 'Read', arguments: JSON.stringify({ file_path: path }), id: `call_${index}` }
}

/** Conversations through a provider's own SDK with a third-party mock server. */
export function testAimockConversations({ name, open, refusal, sendsHalfCalls }: ProviderCase): void {
  describe(name, () => {
    const mock = new LLMock({ port: 0 })
    /** The raw bodies of the requests. */
    let sentBodies: string[] = []
    const fetch: Fetch = async (input, init) => {
      sentBodies.push(String(init?.body))
      return await httpFetch(input, init)
    }
    beforeAll(async () => {
      await mock.start()
    })
    beforeEach(() => {
      mock.clearFixtures()
      sentBodies = []
    })
    afterAll(async () => {
      await mock.stop()
    })

    const respondWith = (response: Fixture[1], options?: Fixture[2]) => mock.on({ userMessage: /./ }, response, options)
    const ask = (request = createRequest()) => tryModel(open(mock.url, fetch), request)

    test('returns a text with its token usage', async () => {
      respondWith({
        content: 'Hello there',
        usage: { prompt_tokens: 7, completion_tokens: 3, input_tokens: 7, output_tokens: 3 },
      })

      const { events, error } = await ask()

      expect(error).toBeUndefined()
      expect(listBlocksWithoutThinking(events)).toEqual([{ type: 'text', text: 'Hello there' }])
      expect(joinPieces(events)['text-delta']).toBe('Hello there')
      expect(events.at(-1)).toMatchObject({ stopReason: 'end_turn', usage: { input: 7, output: 3 } })
    })

    test('returns a call and, after its result, the answer', async () => {
      mock.on({ hasToolResult: false }, { content: 'I look.', toolCalls: [createReadCall('/a')] })
      mock.on({ toolCallId: 'call_0', toolResultContains: 'content of a' }, { content: 'It says: content of a' })

      const first = await ask()
      const blocks = listBlocks(first.events)
      const second = await ask(
        createRequest(
          { type: 'assistant', content: blocks },
          { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'content of a' }] },
        ),
      )

      expect(listBlocksWithoutThinking(first.events)).toEqual([
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_0', name: 'Read', input: { file_path: '/a' } },
      ])
      expect(first.events.at(-1)).toMatchObject({ stopReason: 'tool_use' })
      expect([second.error, listBlocksWithoutThinking(second.events)]).toEqual([
        undefined,
        [{ type: 'text', text: 'It says: content of a' }],
      ])
    })

    test.each([20, 1])(
      'returns ten calls of one message that arrives in pieces of %i characters',
      async (chunkSize) => {
        respondWith({ toolCalls: FILE_PATHS.map(createReadCall) }, { chunkSize })

        const { events, error } = await ask()

        expect(error).toBeUndefined()
        expect(listBlocksWithoutThinking(events)).toEqual(
          FILE_PATHS.map((file_path, index) => ({
            type: 'tool_use',
            id: `call_${index}`,
            name: 'Read',
            input: { file_path },
          })),
        )
        const pieces = events.filter(({ type }) => type === 'input-delta') as Extract<
          ModelEvent,
          { type: 'input-delta' }
        >[]
        expect(Math.max(...pieces.map(({ json }) => json.length))).toBeLessThanOrEqual(chunkSize)
        expect(joinPieces(events)).toEqual(
          Object.fromEntries(FILE_PATHS.map((path, index) => [`call_${index}`, createReadCall(path).arguments])),
        )
      },
    )

    test('returns thinking and sends it back as the provider requires', async () => {
      mock.on({ hasToolResult: false }, { reasoning: 'I have to look', toolCalls: [createReadCall('/a')] })
      mock.on({ hasToolResult: true }, { content: 'Done' })

      const first = await ask()
      const blocks = listBlocks(first.events)
      const second = await ask(
        createRequest(
          { type: 'assistant', content: blocks },
          { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'a' }] },
        ),
      )

      expect(blocks.map(({ type }) => type)).toEqual(['thinking', 'tool_use'])
      expect(joinPieces(first.events)['thinking-delta']).toBe('I have to look')
      expect(second.error).toBeUndefined()
      expect(sentBodies.at(-1)).toContain('I have to look')
    })

    test.skipIf(refusal === undefined)('reports a refusal', async () => {
      respondWith({ content: 'I will not.', finishReason: refusal ?? '' })

      const { events } = await ask()

      expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'refusal' })
    })

    test.skipIf(!sendsHalfCalls)('reports a call that the output limit cuts off', async () => {
      const truncatedCall = { ...createReadCall('/b', 1), arguments: '{"file_path":"/' }
      respondWith({ toolCalls: [createReadCall('/a'), truncatedCall], finishReason: 'length' }, { chunkSize: 4 })

      const { events } = await ask()

      expect(listBlocksWithoutThinking(events)).toEqual([
        { type: 'tool_use', id: 'call_0', name: 'Read', input: { file_path: '/a' } },
      ])
      expect(events).toContainEqual({ type: 'call-cut', id: 'call_1', name: 'Read' })
      expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'max_tokens' })
    })

    test('reports status 429 with its retry delay', async () => {
      respondWith({ error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 7 })

      expect((await ask()).error).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 7000 })
      expect(sentBodies).toHaveLength(1)
    })

    test('reports status 529 as overloaded', async () => {
      respondWith({ error: { message: 'Overloaded', type: 'overloaded_error' }, status: 529 })

      expect((await ask()).error).toMatchObject({ kind: 'overloaded', status: 529 })
    })

    test('reports a stream that is cut in the middle of a call', async () => {
      respondWith({ toolCalls: [createReadCall('/a')] }, { chunkSize: 1, truncateAfterChunks: 9, latency: 2 })

      const { events, error } = await ask()

      expect(error).toMatchObject({ kind: 'stream_cut' })
      expect(events.some(({ type }) => type === 'input-delta')).toBe(true)
      expect(listBlocksWithoutThinking(events)).toEqual([])
    })

    test('reports a server that closes the connection before it answers', async () => {
      respondWith({ content: 'Never' }, { chaos: { disconnectRate: 1 } })

      expect((await ask()).error).toMatchObject({ kind: 'network', isTransient: true })
    })

    test('reports a response that is not JSON', async () => {
      respondWith({ content: 'Never' }, { chaos: { malformedRate: 1 } })

      expect((await ask()).error).toMatchObject({ kind: 'stream_cut' })
    })

    test('sends the system prompt', async () => {
      respondWith({ content: 'Yes' })

      await ask()

      expect(sentBodies.at(-1)).toContain('You are a test.')
    })
  })
}

/** The blocks of a response except thinking, which aimock adds for every model that supports it. */
function listBlocksWithoutThinking(events: readonly ModelEvent[]): ModelBlock[] {
  return listBlocks(events).filter(({ type }) => type !== 'thinking')
}
