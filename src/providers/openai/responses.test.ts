import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { type OpenAIResponse, OpenAIServer } from '../../testing/models/openai-server.js'
import { HELLO_REQUEST, listBlocks, tryModel } from '../../testing/models/try-model.js'
import { type Fetch, httpFetch } from '../http/http-fetch.js'
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.js'

let server: OpenAIServer
beforeAll(async () => {
  server = await OpenAIServer.start()
})
afterAll(async () => {
  await server.stop()
})

async function ask(
  answers: readonly OpenAIResponse[],
  request = HELLO_REQUEST,
  options: Partial<OpenAIModelOptions> = {},
) {
  const previousCount = server.requests.length
  server.respondWith(...answers)
  const model = createOpenAIModel({ id: 'm', apiKey: 'k', baseUrl: server.url, api: 'responses', ...options })
  const outcome = await tryModel(model, request)
  return { ...outcome, requests: server.requests.slice(previousCount).map(({ body }) => body) }
}

const CREATED_EVENT = { type: 'response.created', response: { id: 'resp_1', model: 'm-1' } }

function createCompletedEvent(extraFields: Record<string, unknown> = {}) {
  return { type: 'response.completed', response: { id: 'resp_1', status: 'completed', ...extraFields } }
}

function createIncompleteEvent(reason: string) {
  return { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason } } }
}

function createItemAddedEvent(output_index: number, item: unknown) {
  return { type: 'response.output_item.added', output_index, item }
}

function createItemDoneEvent(output_index: number, item: unknown) {
  return { type: 'response.output_item.done', output_index, item }
}

function createDeltaEvent(kind: string, output_index: number, delta: string) {
  return { type: `response.${kind}.delta`, output_index, delta }
}

test('a response of the Responses API streams reasoning, text and calls, and keeps encrypted reasoning', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
  const message = { type: 'message', id: 'msg_1', content: [] }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'Read', arguments: '' }

  const { events, requests } = await ask([
    {
      events: [
        CREATED_EVENT,
        createItemAddedEvent(0, reasoning),
        { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
        createDeltaEvent('reasoning_summary_text', 0, 'Hm'),
        { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
        createDeltaEvent('reasoning_summary_text', 0, 'Yes'),
        createItemDoneEvent(0, { ...reasoning, encrypted_content: 'sealed' }),
        createItemAddedEvent(1, message),
        createDeltaEvent('output_text', 1, 'I '),
        createDeltaEvent('output_text', 1, 'look.'),
        createItemDoneEvent(1, { ...message, content: [{ type: 'output_text', text: 'I look.' }] }),
        createItemAddedEvent(2, call),
        createDeltaEvent('function_call_arguments', 2, '{"x"'),
        createDeltaEvent('function_call_arguments', 2, ':1}'),
        createItemDoneEvent(2, { ...call, arguments: '{"x":1}', status: 'completed' }),
        createCompletedEvent({
          usage: {
            input_tokens: 9,
            output_tokens: 3,
            input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
          },
        }),
      ],
      end: 'plain',
    },
  ])

  expect(events).toEqual([
    { type: 'message-started', id: 'resp_1', model: 'm-1' },
    { type: 'thinking-delta', text: 'Hm' },
    { type: 'thinking-delta', text: '\n\n' },
    { type: 'thinking-delta', text: 'Yes' },
    { type: 'block-ended', block: { type: 'thinking', thinking: 'Hm\n\nYes', signature: 'sealed', id: 'rs_1' } },
    { type: 'text-delta', text: 'I ' },
    { type: 'text-delta', text: 'look.' },
    { type: 'block-ended', block: { type: 'text', text: 'I look.' } },
    { type: 'call-begun', id: 'call_1', name: 'Read' },
    { type: 'input-delta', id: 'call_1', json: '{"x"' },
    { type: 'input-delta', id: 'call_1', json: ':1}' },
    { type: 'block-ended', block: { type: 'tool_use', id: 'call_1', name: 'Read', input: { x: 1 } } },
    { type: 'message-ended', stopReason: 'tool_use', usage: { input: 3, output: 3, cacheRead: 4, cacheWrite: 2 } },
  ])
  expect(requests).toEqual([
    {
      model: 'm',
      instructions: 'Be brief.\n\nBe kind.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      tools: [
        {
          type: 'function',
          name: 'Read',
          description: 'Reads',
          parameters: { type: 'object', properties: {} },
          strict: false,
        },
      ],
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
    },
  ])
})

describe('a response of the Responses API is read completely if it ends', () => {
  const call = { type: 'function_call', call_id: 'i', name: 'A', arguments: '' }

  test.each<[string, unknown[], { stop: string; blocks: unknown[]; cut?: string[] }]>([
    [
      'with a refusal',
      [
        createItemAddedEvent(0, { type: 'message' }),
        createDeltaEvent('refusal', 0, 'No'),
        createItemDoneEvent(0, { type: 'message' }),
        createCompletedEvent(),
      ],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'No' }] },
    ],
    [
      'with a refusal without deltas',
      [
        createItemDoneEvent(0, { type: 'message', content: [{ type: 'refusal', refusal: 'No' }] }),
        createCompletedEvent(),
      ],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'No' }] },
    ],
    [
      'with a content filter',
      [
        createItemAddedEvent(0, { type: 'message' }),
        createDeltaEvent('output_text', 0, 'We'),
        createIncompleteEvent('content_filter'),
      ],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'We' }] },
    ],
    [
      'at the token limit inside a call',
      [
        createItemAddedEvent(0, call),
        createDeltaEvent('function_call_arguments', 0, '{"x"'),
        createIncompleteEvent('max_output_tokens'),
      ],
      { stop: 'max_tokens', blocks: [], cut: ['i'] },
    ],
    [
      'at the token limit inside a call marked as incomplete',
      [
        createItemAddedEvent(0, call),
        createDeltaEvent('function_call_arguments', 0, '{"x"'),
        createItemDoneEvent(0, { ...call, arguments: '{"x"', status: 'incomplete' }),
        createIncompleteEvent('max_output_tokens'),
      ],
      { stop: 'max_tokens', blocks: [], cut: ['i'] },
    ],
    [
      'with all items in its last event',
      [
        createCompletedEvent({
          output: [
            { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
            { ...call, arguments: '{"x":1}' },
          ],
        }),
      ],
      {
        stop: 'tool_use',
        blocks: [
          { type: 'text', text: 'Hi' },
          { type: 'tool_use', id: 'i', name: 'A', input: { x: 1 } },
        ],
      },
    ],
    [
      'with invalid JSON arguments without deltas',
      [createItemAddedEvent(0, call), createItemDoneEvent(0, { ...call, arguments: '{"x' }), createCompletedEvent()],
      { stop: 'tool_use', blocks: [{ type: 'tool_use', id: 'i', name: 'A', input: '{"x' }] },
    ],
    [
      'with encrypted reasoning without a summary',
      [
        createItemDoneEvent(0, { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 's' }),
        createCompletedEvent(),
      ],
      { stop: 'end_turn', blocks: [{ type: 'thinking', thinking: '', signature: 's', id: 'rs' }] },
    ],
  ])('%s', async (_, chunks, { stop, blocks, cut = [] }) => {
    const { events, error } = await ask([{ events: [CREATED_EVENT, ...chunks], end: 'plain' }])

    expect(error).toBeUndefined()
    expect(listBlocks(events)).toEqual(blocks)
    expect(events.flatMap((event) => (event.type === 'call-cut' ? [event.id] : []))).toEqual(cut)
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: stop })
  })
})

describe('a response of the Responses API fails', () => {
  test.each<[string, unknown[], Partial<ModelError>]>([
    [
      'with an error in the response',
      [{ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Slow' } } }],
      { kind: 'rate_limited' },
    ],
    ['with an error event', [{ type: 'error', code: 'server_error', message: 'Oh' }], { kind: 'server_error' }],
    [
      'with an error inside an event',
      [{ type: 'error', error: { code: 'context_length_exceeded', message: 'Oh' } }],
      { kind: 'too_long' },
    ],
    [
      'if the stream ends too early',
      [createItemAddedEvent(0, { type: 'message' }), createDeltaEvent('output_text', 0, 'a')],
      { kind: 'stream_cut' },
    ],
  ])('%s', async (_, chunks, expected) => {
    const { events, error } = await ask([{ events: [CREATED_EVENT, ...chunks], end: 'plain' }])

    expect(error).toMatchObject(expected)
    expect(events.some(({ type }) => type === 'message-ended')).toBe(false)
  })
})

test('a model without reasoning gets the request again without the rejected parameters', async () => {
  const request: ModelRequest = { ...HELLO_REQUEST, thinking: { type: 'adaptive' } }
  const refusal = (message: string, param: string) => ({ status: 400, body: { error: { message, param } } })

  const { requests, error } = await ask(
    [
      refusal('Encrypted content is not supported with this model.', 'include'),
      refusal("Unsupported parameter: 'reasoning.summary' is not supported with this model.", 'reasoning.summary'),
      { events: [CREATED_EVENT, createCompletedEvent()] },
    ],
    request,
  )

  expect(error).toBeUndefined()
  expect(requests.map(({ include, reasoning }) => [include, reasoning])).toEqual([
    [['reasoning.encrypted_content'], { summary: 'auto' }],
    [undefined, { summary: 'auto' }],
    [undefined, undefined],
  ])
})

test('OpenAI’s own API gets a cache key for the conversation', async () => {
  const bodies: unknown[] = []
  const fetch: Fetch = async (input, init) => {
    bodies.push([String(input), JSON.parse(String(init?.body)).prompt_cache_key])
    return await httpFetch(String(input).replace('https://api.openai.com/v1', server.url), init)
  }
  server.respondWith(
    { events: [CREATED_EVENT, createCompletedEvent()] },
    { events: [{ choices: [{ delta: {}, finish_reason: 'stop' }] }] },
  )

  await tryModel(createOpenAIModel({ id: 'm', apiKey: 'k', fetch }))
  await tryModel(createOpenAIModel({ id: 'm', apiKey: 'k', fetch, api: 'chat' }))

  expect(bodies).toEqual([
    ['https://api.openai.com/v1/responses', 'c1'],
    ['https://api.openai.com/v1/chat/completions', 'c1'],
  ])
})
