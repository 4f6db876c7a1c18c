import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../contract/model/model.js'
import { createChatCall, createChatDelta } from '../../testing/models/openai-chunks.js'
import { type OpenAIResponse, OpenAIServer } from '../../testing/models/openai-server.js'
import { HELLO_REQUEST, joinPieces, listBlocks, tryModel } from '../../testing/models/try-model.js'
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.js'
import { parseArguments } from './stream-parts.js'

const KEY = 'sk-very-secret-key'

let server: OpenAIServer
beforeAll(async () => {
  server = await OpenAIServer.start()
})
afterAll(async () => {
  await server.stop()
})

/** Sends one request, which the server answers with these responses, one for each attempt. */
async function ask(
  answers: readonly OpenAIResponse[],
  options: Partial<OpenAIModelOptions> = {},
  { request = HELLO_REQUEST, signal = new AbortController().signal, model = createModel(options) } = {},
) {
  const previousCount = server.requests.length
  server.respondWith(...answers)
  const outcome = await tryModel(model, request, signal)
  const newRequests = server.requests.slice(previousCount)
  return { ...outcome, requests: newRequests.map(({ body }) => body), paths: newRequests.map(({ path }) => path) }
}

function createModel(options: Partial<OpenAIModelOptions> = {}) {
  return createOpenAIModel({ id: 'm', apiKey: KEY, baseUrl: server.url, ...options })
}

const SENT_USAGE = {
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 7 } },
}

describe('a chat completion', () => {
  test('streams text, thinking and calls, and counts cached input tokens separately', async () => {
    const { events, requests, paths } = await ask([
      {
        events: [
          createChatDelta({ role: 'assistant', content: '', reasoning_content: 'Hm' }),
          createChatDelta({ reasoning_content: '…' }),
          createChatDelta({ content: 'I ' }),
          createChatDelta({ content: 'look.' }),
          createChatDelta({ tool_calls: [createChatCall(0, 'Read', '', 'a')] }),
          createChatDelta({ tool_calls: [createChatCall(0, undefined, '{"x"')] }),
          createChatDelta({ tool_calls: [createChatCall(0, undefined, ':1}')] }),
          createChatDelta({ tool_calls: [createChatCall(1, 'Read', '{}', 'b')] }),
          createChatDelta({}, 'tool_calls'),
          SENT_USAGE,
        ],
      },
    ])

    expect(events).toEqual([
      { type: 'message-started', id: 'c', model: 'm-1' },
      { type: 'thinking-delta', text: 'Hm' },
      { type: 'thinking-delta', text: '…' },
      { type: 'block-ended', block: { type: 'thinking', thinking: 'Hm…', id: 'reasoning_content' } },
      { type: 'text-delta', text: 'I ' },
      { type: 'text-delta', text: 'look.' },
      { type: 'block-ended', block: { type: 'text', text: 'I look.' } },
      { type: 'call-begun', id: 'a', name: 'Read' },
      { type: 'input-delta', id: 'a', json: '{"x"' },
      { type: 'input-delta', id: 'a', json: ':1}' },
      { type: 'block-ended', block: { type: 'tool_use', id: 'a', name: 'Read', input: { x: 1 } } },
      { type: 'call-begun', id: 'b', name: 'Read' },
      { type: 'input-delta', id: 'b', json: '{}' },
      { type: 'block-ended', block: { type: 'tool_use', id: 'b', name: 'Read', input: {} } },
      { type: 'message-ended', stopReason: 'tool_use', usage: { input: 3, output: 4, cacheRead: 7, cacheWrite: 0 } },
    ])
    expect(paths).toEqual(['/v1/chat/completions'])
    expect(requests).toEqual([
      {
        model: 'm',
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'Be brief.\n\nBe kind.' },
          { role: 'user', content: 'Hello' },
        ],
        tools: [
          {
            type: 'function',
            function: { name: 'Read', description: 'Reads', parameters: { type: 'object', properties: {} } },
          },
        ],
      },
    ])
  })

  test('is requested with a key only if there is one', async () => {
    await ask([{ events: [createChatDelta({ content: 'a' }, 'stop')] }], { headers: { 'x-title': 'haft' } })
    expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-title': 'haft' })

    const { apiKey: _, ...options } = { id: 'm', apiKey: '', baseUrl: server.url }
    await ask([{ events: [createChatDelta({ content: 'a' }, 'stop')] }], {}, { model: createOpenAIModel(options) })
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  test.each<[string, unknown[], unknown]>([
    [
      'complete calls without index or id',
      [
        createChatDelta(
          { tool_calls: [createChatCall(undefined, 'A', '{"x":1}'), createChatCall(undefined, 'A', '{"x":2}')] },
          'stop',
        ),
      ],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'complete calls that all have index 0',
      [
        createChatDelta(
          { tool_calls: [createChatCall(0, 'A', '{"x":1}', 'i'), createChatCall(0, 'B', '', 'j')] },
          'tool_calls',
        ),
      ],
      [
        ['A', { x: 1 }],
        ['B', {}],
      ],
    ],
    [
      'complete calls that all have index 0, one per chunk, without ids',
      [
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x":1}')] }),
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x":2}')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'a repeated id',
      [
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x":1}', 'i')] }),
        createChatDelta({ tool_calls: [createChatCall(1, 'A', '{"x":2}', 'i')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'id and name in every delta',
      [
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x"', 'i')] }),
        createChatDelta({ tool_calls: [createChatCall(0, 'A', ':1}', 'i')] }),
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '', 'i')] }, 'stop'),
      ],
      [['A', { x: 1 }]],
    ],
    [
      'interleaved deltas of two calls',
      [
        createChatDelta({ tool_calls: [createChatCall(0, 'A', '', 'i'), createChatCall(1, 'B', '', 'j')] }),
        createChatDelta({ tool_calls: [createChatCall(1, undefined, '{"y"')] }),
        createChatDelta({ tool_calls: [createChatCall(0, undefined, '{"x":1}')] }),
        createChatDelta({ tool_calls: [createChatCall(1, undefined, ':2}')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['B', { y: 2 }],
      ],
    ],
    [
      'the name after the first arguments',
      [
        createChatDelta({ tool_calls: [createChatCall(0, undefined, '{"x"', 'i')] }),
        createChatDelta({ tool_calls: [createChatCall(0, 'A', ':1}')] }, 'stop'),
      ],
      [['A', { x: 1 }]],
    ],
    [
      'no arguments at all',
      [createChatDelta({ tool_calls: [{ index: 0, id: 'i', function: { name: 'A' } }] }, 'tool_calls')],
      [['A', {}]],
    ],
    [
      'arguments as an object',
      [createChatDelta({ tool_calls: [createChatCall(0, 'A', { x: 1 }, 'i')] }, 'tool_calls')],
      [['A', { x: 1 }]],
    ],
    [
      'arguments that are not valid JSON',
      [createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x":', 'i')] }, 'tool_calls')],
      [['A', '{"x":']],
    ],
    [
      'a message instead of a delta',
      [{ choices: [{ message: { tool_calls: [createChatCall(undefined, 'A', '{}')] }, finish_reason: 'stop' }] }],
      [['A', {}]],
    ],
    ['no finish reason', [createChatDelta({ tool_calls: [createChatCall(0, 'A', '{}', 'i')] })], [['A', {}]]],
  ])('assembles calls from %s', async (_, chunks, calls) => {
    const { events, error } = await ask([{ events: chunks }])

    expect(error).toBeUndefined()
    const blocks = listBlocks(events)
    expect(blocks.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block))).toEqual(calls)
    const ids = blocks.map((block) => (block.type === 'tool_use' ? block.id : ''))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain('')
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'tool_use' })
    const pieces = joinPieces(events)
    expect(ids.map((id) => parseArguments(pieces[id] ?? 'none'))).toEqual(
      blocks.map((block) => 'input' in block && block.input),
    )
  })

  test('gets a new id for a call whose id an earlier message already uses', async () => {
    const request: ModelRequest = {
      ...HELLO_REQUEST,
      messages: [
        ...HELLO_REQUEST.messages,
        { type: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'Read', input: {} }] },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'x' }] },
      ],
    }

    const { events } = await ask(
      [{ events: [createChatDelta({ tool_calls: [createChatCall(0, 'Read', '{}', 'call_0')] }, 'stop')] }],
      {},
      { request },
    )

    expect(listBlocks(events)).toMatchObject([{ type: 'tool_use', id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/) }])
  })

  test.each<[string, unknown[], { stop: string; blocks: unknown[]; cut?: string[] }]>([
    [
      'a refusal in its own field',
      [createChatDelta({ refusal: 'No' }), createChatDelta({ refusal: '.' }, 'stop')],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'No.' }] },
    ],
    [
      'a content filter',
      [createChatDelta({ content: 'Well' }, 'content_filter')],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'Well' }] },
    ],
    [
      'the token limit inside a call',
      [
        createChatDelta(
          { tool_calls: [createChatCall(0, 'A', '{"x":1}', 'i'), createChatCall(1, 'B', '{"y"', 'j')] },
          'length',
        ),
      ],
      { stop: 'max_tokens', blocks: [{ type: 'tool_use', id: 'i', name: 'A', input: { x: 1 } }], cut: ['j'] },
    ],
    [
      'the token limit after a complete call',
      [createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x":1}', 'i')] }, 'length')],
      { stop: 'max_tokens', blocks: [{ type: 'tool_use', id: 'i', name: 'A', input: { x: 1 } }] },
    ],
    [
      'the token limit before any argument',
      [createChatDelta({ tool_calls: [createChatCall(0, 'A', '', 'i')] }, 'length')],
      { stop: 'max_tokens', blocks: [], cut: ['i'] },
    ],
    [
      'the token limit inside a text',
      [createChatDelta({ content: 'Wel' }, 'length')],
      { stop: 'max_tokens', blocks: [{ type: 'text', text: 'Wel' }] },
    ],
    [
      'text after reasoning in the field `reasoning`',
      [createChatDelta({ reasoning: 'Hm' }), createChatDelta({ content: 'Yes' }, 'stop')],
      {
        stop: 'end_turn',
        blocks: [
          { type: 'thinking', thinking: 'Hm', id: 'reasoning' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ],
    [
      'content as a list of parts',
      [
        createChatDelta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
        createChatDelta({ content: [{ type: 'text', text: 'Yes' }] }, 'stop'),
      ],
      {
        stop: 'end_turn',
        blocks: [
          { type: 'thinking', thinking: 'Hm', id: 'reasoning' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ],
    ['an empty answer', [createChatDelta({}, 'stop')], { stop: 'end_turn', blocks: [] }],
  ])('is read correctly if it ends with %s', async (_, chunks, { stop, blocks, cut = [] }) => {
    const { events } = await ask([{ events: chunks }])

    expect(listBlocks(events)).toEqual(blocks)
    expect(events.flatMap((event) => (event.type === 'call-cut' ? [event.id] : []))).toEqual(cut)
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: stop })
  })

  test('may end with a chunk that has only usage, and ignores a connection error after the end', async () => {
    const endedByUsage = await ask([{ events: [createChatDelta({ content: 'a' }), SENT_USAGE], end: 'plain' }])
    const answerCutAfterEnd = await ask([{ events: [createChatDelta({ content: 'a' }, 'stop')], end: 'cut' }])

    expect([endedByUsage.error, answerCutAfterEnd.error]).toEqual([undefined, undefined])
    expect(endedByUsage.events.at(-1)).toMatchObject({ stopReason: 'end_turn', usage: { input: 3, cacheRead: 7 } })
  })

  test('is requested with the token limit and a reasoning effort that fits the thinking budget', async () => {
    const request: ModelRequest = {
      ...HELLO_REQUEST,
      maxOutputTokens: 5,
      thinking: { type: 'enabled', budgetTokens: 10_000 },
    }

    const { requests } = await ask([{ events: [createChatDelta({}, 'stop')] }], {}, { request })

    expect(requests[0]).toMatchObject({ max_tokens: 5, reasoning_effort: 'medium' })
  })
})
