import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AssistantMessage } from '../../contract/messages.js'
import type { Model, ModelEvent, ModelRequest } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { askModel, HELLO_REQUEST, listBlocks } from '../../testing/models/ask-model.js'
import { createEndlessFetch } from '../../testing/models/endless-fetch.js'
import {
  type ModelServer,
  type ServerScript,
  startModelServer,
} from '../../testing/models/server/start-model-server.js'
import { isCarrierRejection } from '../../tool-search/request/choose-carrier.js'
import { type AnthropicModelOptions, createAnthropicModel } from './create-anthropic-model.js'

const servers: ModelServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function start(...script: ServerScript): Promise<ModelServer> {
  const server = await startModelServer(script)
  servers.push(server)
  return server
}

function createModelAt(server: ModelServer, options: Partial<AnthropicModelOptions> = {}): Model {
  return createAnthropicModel({ id: 'claude-sonnet-5-5', apiKey: 'secret-key', baseUrl: server.url, ...options })
}

/** Returns the error of a request and the events before it. */
async function getFailure(model: Model): Promise<{ events: ModelEvent[]; error: ModelError }> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(HELLO_REQUEST, { signal: new AbortController().signal })) events.push(event)
  } catch (error) {
    return { events, error: error as ModelError }
  }
  throw new Error('The stream did not fail.')
}

describe('an answer of Anthropic’s API', () => {
  test('streams text and ends with the usage', async () => {
    const server = await start({
      parts: [{ text: 'Good day' }],
      pieceSize: 4,
      usage: { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
    })

    expect(await askModel(createModelAt(server))).toEqual([
      { type: 'message-started', id: 'msg_0', model: 'claude-sonnet-5-5' },
      { type: 'text-delta', text: 'Good' },
      { type: 'text-delta', text: ' day' },
      { type: 'block-ended', block: { type: 'text', text: 'Good day' } },
      {
        type: 'message-ended',
        stopReason: 'end_turn',
        usage: { input: 7, output: 5, cacheRead: 3, cacheWrite: 2 },
      },
    ])
  })

  test('reports a call with its input deltas and its complete input', async () => {
    const server = await start({ parts: [{ call: 'Read', id: 'toolu_x', input: { path: 'a' } }] })

    const events = await askModel(createModelAt(server))

    expect(events.slice(1)).toEqual([
      { type: 'call-begun', id: 'toolu_x', name: 'Read' },
      { type: 'input-delta', id: 'toolu_x', json: '{"path":"a"}' },
      { type: 'block-ended', block: { type: 'tool_use', id: 'toolu_x', name: 'Read', input: { path: 'a' } } },
      expect.objectContaining({ type: 'message-ended', stopReason: 'tool_use' }),
    ])
  })

  test('completes a call before the message ends', async () => {
    let openGate = () => {}
    const gate = new Promise<void>((resolve) => {
      openGate = resolve
    })
    const server = await start({ parts: [{ call: 'Read', input: { path: 'a' } }, { gate }, { text: 'later' }] })

    const types: string[] = []
    for await (const event of createModelAt(server).stream(HELLO_REQUEST, { signal: new AbortController().signal })) {
      types.push(event.type)
      if (event.type === 'block-ended') openGate()
    }

    expect(types.at(-1)).toBe('message-ended')
  })

  test('assembles the inputs of ten parallel calls whose JSON is sent character by character', async () => {
    const inputs = Array.from({ length: 10 }, (_, n) => ({ path: `ordner/${n}/ä"\\n😀`, nested: { list: [n, null] } }))
    const server = await start({ parts: inputs.map((input) => ({ call: 'Read', input })), pieceSize: 1 })

    const blocks = listBlocks(await askModel(createModelAt(server)))

    expect(blocks.map((block) => block.type === 'tool_use' && block.input)).toEqual(inputs)
  })

  test('may be split into chunks inside characters and lines', async () => {
    const text = 'Füße 😀 天气 – “quoted”\r\nline'
    for (const chunkSize of [1, 2, 3, 7]) {
      const server = await start({ parts: [{ text }, { call: 'Say', input: { text } }], chunkSize })

      const blocks = listBlocks(await askModel(createModelAt(server)))

      expect(blocks).toMatchObject([{ text }, { input: { text } }])
    }
  })

  test.each(['gzip', 'br'] as const)('may be compressed with %s', async (encoding) => {
    const server = await start({ parts: [{ text: 'small' }], encoding })

    expect(listBlocks(await askModel(createModelAt(server)))).toEqual([{ type: 'text', text: 'small' }])
  })

  test('passes invalid JSON input on as a string', async () => {
    const server = await start({ parts: [{ call: 'Read', json: '{"path": oops' }] })

    expect(listBlocks(await askModel(createModelAt(server)))).toMatchObject([{ input: '{"path": oops' }])
  })

  test('uses an empty object for a call without input', async () => {
    const server = await start({
      parts: [
        { call: 'List', json: '' },
        { call: 'List', json: '' },
      ],
    })

    expect(listBlocks(await askModel(createModelAt(server)))).toMatchObject([{ input: {} }, { input: {} }])
  })

  test.each([
    ['in the middle of its JSON', '{"path": "a'],
    ['before its JSON', ''],
  ])('reports a call that max_tokens cut off %s as cut', async (_, json) => {
    const server = await start({
      parts: [{ text: 'Reading' }, { call: 'Read', id: 'toolu_x', json }],
      stopReason: 'max_tokens',
    })

    const events = await askModel(createModelAt(server))

    expect(listBlocks(events)).toEqual([{ type: 'text', text: 'Reading' }])
    expect(events.slice(-2)).toEqual([
      { type: 'call-cut', id: 'toolu_x', name: 'Read' },
      expect.objectContaining({ type: 'message-ended', stopReason: 'max_tokens' }),
    ])
  })

  test.each([
    ['refusal', 'refusal'],
    ['model_context_window_exceeded', 'context_full'],
    ['pause_turn', 'pause'],
    ['stop_sequence', 'end_turn'],
    ['something_new', 'end_turn'],
  ])('maps the stop reason %s to %s', async (sentReason, stopReason) => {
    const server = await start({ parts: [{ text: 'I' }], stopReason: sentReason })

    expect((await askModel(createModelAt(server))).at(-1)).toMatchObject({ type: 'message-ended', stopReason })
  })

  test('skips unknown blocks and events', async () => {
    const rawEvent = (type: string, fields: object) => ({
      raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
    })
    const server = await start({
      parts: [
        rawEvent('something_new', {}),
        rawEvent('content_block_start', { index: 9, content_block: { type: 'server_tool_use', id: 'x' } }),
        rawEvent('content_block_delta', { index: 9, delta: { type: 'input_json_delta', partial_json: '{}' } }),
        rawEvent('content_block_stop', { index: 9 }),
        { text: 'fine' },
      ],
    })

    expect(listBlocks(await askModel(createModelAt(server)))).toEqual([{ type: 'text', text: 'fine' }])
  })
})

describe('if a request to Anthropic’s API fails,', () => {
  const createErrorTurn = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
    status,
    headers,
    body: { type: 'error', error: { type, message } },
  })

  test.each([
    [createErrorTurn(429, 'rate_limit_error', 'slow', { 'retry-after': '12' }), 'rate_limited', 12_000],
    [createErrorTurn(429, 'rate_limit_error', 'slow', { 'retry-after-ms': '250' }), 'rate_limited', 250],
    [createErrorTurn(429, 'rate_limit_error', 'slow'), 'rate_limited', undefined],
    [createErrorTurn(529, 'overloaded_error', 'Overloaded'), 'overloaded', undefined],
    [createErrorTurn(500, 'api_error', 'oops'), 'server_error', undefined],
    [{ status: 502, body: '<html>Bad gateway</html>' }, 'server_error', undefined],
    [createErrorTurn(401, 'authentication_error', 'invalid key'), 'unauthorised', undefined],
    [createErrorTurn(403, 'permission_error', 'not yours'), 'unauthorised', undefined],
    [createErrorTurn(404, 'not_found_error', 'model: x'), 'unknown_model', undefined],
    [createErrorTurn(413, 'request_too_large', 'too many bytes'), 'too_long', undefined],
    [createErrorTurn(400, 'invalid_request_error', 'prompt is too long: 9 > 8'), 'too_long', undefined],
    [createErrorTurn(400, 'invalid_request_error', 'tools.0: bad'), 'invalid_request', undefined],
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'invalid_request', undefined],
  ])('the response %j is reported as %s', async (turn, kind, retryAfterMs) => {
    const server = await start(turn)

    const { error } = await getFailure(createModelAt(server))

    expect(error).toMatchObject({ name: 'ModelError', kind, status: turn.status, retryAfterMs })
    expect(error.message).not.toMatch(/\n/)
    expect(server.requests).toHaveLength(1)
  })

  test('a retry-after date is converted to a delay', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString()
    const server = await start(createErrorTurn(429, 'rate_limit_error', 'slow', { 'retry-after': date }))

    const { retryAfterMs = 0 } = (await getFailure(createModelAt(server))).error

    expect(retryAfterMs).toBeGreaterThan(60_000)
    expect(retryAfterMs).toBeLessThanOrEqual(90_000)
  })

  test('an error event in the middle of the stream is reported', async () => {
    const server = await start({
      parts: [{ text: 'Well' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
    })

    const { events, error } = await getFailure(createModelAt(server))

    expect(listBlocks(events)).toEqual([{ type: 'text', text: 'Well' }])
    expect(error).toMatchObject({ kind: 'overloaded', status: undefined })
  })

  test.each([
    ['breaks', { cutAfter: 1100 }],
    ['ends', { isUnfinished: true }],
  ])('a stream that %s in the middle of a call is reported as cut', async (_, cut) => {
    const parts = [
      { call: 'Read', id: 'toolu_a', input: { path: 'a' } },
      { call: 'Write', id: 'toolu_b', json: '{"text": "' },
    ]
    const server = await start({ parts, ...cut, pieceSize: 4 })

    const { events, error } = await getFailure(createModelAt(server))

    expect(error).toMatchObject({ kind: 'stream_cut', isTransient: true })
    expect(listBlocks(events).map((block) => block.type === 'tool_use' && block.id)).not.toContain('toolu_b')
  })

  test('data that is not JSON is reported as a cut stream', async () => {
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: {oops\n\n' }] })

    expect((await getFailure(createModelAt(server))).error.kind).toBe('stream_cut')
  })

  test('the SDK writes nothing to the console', async () => {
    const consoleError = vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: {oops\n\n' }] })

    await getFailure(createModelAt(server))

    expect(consoleError).not.toHaveBeenCalled()
    consoleError.mockRestore()
  })

  test.each([
    createErrorTurn(400, 'invalid_request_error', 'tools.3.custom.defer_loading: Extra inputs are not permitted'),
    { status: 422, body: { detail: [{ loc: ['body', 'tools', 0, 'defer_loading'], msg: 'extra fields' }] } },
  ])('a server that answers %j is recognised as not supporting deferred tools', async (turn) => {
    const server = await start(turn)

    expect(isCarrierRejection((await getFailure(createModelAt(server))).error)).toBe(true)
  })

  test('an event that is not an object is reported as a cut stream', async () => {
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: null\n\n' }] })

    expect((await getFailure(createModelAt(server))).error.kind).toBe('stream_cut')
  })

  test('a response that is not a stream is reported as a cut stream', async () => {
    const server = await start({ status: 200, body: { hello: 'there' } })

    expect((await getFailure(createModelAt(server))).error.kind).toBe('stream_cut')
  })

  test('an unreachable server is reported', async () => {
    const server = await start()
    await server.close()

    const { error } = await getFailure(createModelAt(server))

    expect(error).toMatchObject({ kind: 'network', isTransient: true })
    expect(error.message).toMatch(/ECONNREFUSED/)
  })

  test('a server that stops sending times out', async () => {
    const pendingPromise = new Promise(() => {})
    const server = await start({ parts: [{ text: 'Well' }, { gate: pendingPromise }] })

    const { events, error } = await getFailure(createModelAt(server, { idleTimeoutMs: 1000 }))

    expect(listBlocks(events)).toEqual([{ type: 'text', text: 'Well' }])
    expect(error.kind).toBe('timed_out')
  })

  test.each([
    ['pings', { type: 'ping' }],
    ['empty deltas', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } }],
    ['unknown events', { type: 'more' }],
  ])('a server that sends only %s times out', async (_, repeatedEvent) => {
    const formatEvent = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
    const firstEvents = [
      { type: 'message_start', message: { id: 'a', model: 'm' } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Well' } },
    ]
    const fetch = createEndlessFetch(firstEvents.map(formatEvent).join(''), formatEvent(repeatedEvent))

    const { events, error } = await getFailure(createAnthropicModel({ id: 'm', apiKey: 'k', fetch, idleTimeoutMs: 30 }))

    expect(events.map(({ type }) => type)).toEqual(['message-started', 'text-delta'])
    expect(error).toMatchObject({ kind: 'timed_out', isTransient: true })
  })

  test('a server that never answers times out', async () => {
    const server = await start({ gate: new Promise(() => {}) })

    expect((await getFailure(createModelAt(server, { idleTimeoutMs: 25 }))).error.kind).toBe('timed_out')
  })

  test('thinking that the API rejected is omitted from all later requests, but new thinking is sent', async () => {
    const refusal = createErrorTurn(
      400,
      'invalid_request_error',
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    )
    const server = await start(refusal, { parts: [{ text: 'Fine' }] }, { parts: [{ text: 'Fine' }] })
    const model = createModelAt(server)
    const createMessageWithThinking = (signature: string): AssistantMessage => ({
      type: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature },
        { type: 'text', text: 'Yes' },
      ],
    })
    const first: ModelRequest = {
      ...HELLO_REQUEST,
      messages: [...HELLO_REQUEST.messages, createMessageWithThinking('old'), ...HELLO_REQUEST.messages],
    }

    const blocks = listBlocks(await askModel(model, first))
    await askModel(model, {
      ...first,
      messages: [...first.messages, createMessageWithThinking('new'), ...HELLO_REQUEST.messages],
    })

    expect(blocks).toEqual([{ type: 'text', text: 'Fine' }])
    const signatures = server.requests.map(({ body }) => JSON.stringify(body).match(/"signature":"\w+"/g))
    expect(signatures).toEqual([['"signature":"old"'], null, ['"signature":"new"']])
  })

  test('a rejection of thinking is an error if there is no thinking to omit', async () => {
    const refusal = createErrorTurn(400, 'invalid_request_error', 'Invalid `signature` in `thinking` block')
    const server = await start(refusal)

    expect((await getFailure(createModelAt(server))).error.kind).toBe('invalid_request')
    expect(server.requests).toHaveLength(1)
  })

  test('an abort in the middle of the stream is reported', async () => {
    const server = await start({ parts: [{ text: 'Well' }, { gate: new Promise(() => {}) }] })
    const controller = new AbortController()
    const events = createModelAt(server).stream(HELLO_REQUEST, { signal: controller.signal })

    const readPromise = (async () => {
      for await (const event of events) if (event.type === 'block-ended') controller.abort()
    })()

    await expect(readPromise).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('an abort before the response is reported', async () => {
    const server = await start({ parts: [{ gate: new Promise(() => {}) }] })
    const controller = new AbortController()

    const answerPromise = askModel(createModelAt(server), HELLO_REQUEST, controller.signal)
    await server.request(0)
    controller.abort()

    await expect(answerPromise).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('error messages never contain a key', async () => {
    const server = await start(createErrorTurn(401, 'authentication_error', 'invalid key: secret-key'))

    const { error } = await getFailure(createModelAt(server))
    const { error: headerError } = await getFailure(createModelAt(server, { apiKey: 'secret-key\nmore' }))

    expect(error.message).not.toMatch(/secret/)
    expect(headerError.message).not.toMatch(/secret/)
  })
})

describe('the token counter of Anthropic’s API', () => {
  test('receives the request without the fields about the answer', async () => {
    const server = await start({ status: 200, body: { input_tokens: 42 } })
    const request = { ...HELLO_REQUEST, system: ['Be brief.'], maxOutputTokens: 100 }

    const count = await createModelAt(server).countTokens?.(request, { signal: AbortSignal.timeout(60_000) })

    expect(count).toBe(42)
    expect(server.requests[0]?.path).toBe('/v1/messages/count_tokens')
    expect(Object.keys(server.requests[0]?.body)).toEqual(['model', 'system', 'messages'])
  })

  test('that returns something else fails', async () => {
    const server = await start({ status: 200, body: { input_tokens: 'many' } })

    const counting = createModelAt(server).countTokens?.(HELLO_REQUEST, { signal: AbortSignal.timeout(60_000) })

    await expect(counting).rejects.toThrow('did not return a number of tokens')
  })
})

describe('the connection to Anthropic’s API', () => {
  test('is reused for all requests of a conversation', async () => {
    const server = await start({ parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }, { parts: [{ text: 'c' }] })
    const model = createModelAt(server)

    for (let n = 0; n < 3; n++) await askModel(model)

    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 0])
  })

  test('sends the configured key and headers', async () => {
    const server = await start({ parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }, { parts: [{ text: 'c' }] })

    await askModel(createModelAt(server, { headers: { 'x-team': 'blue' } }))
    await askModel(createAnthropicModel({ id: 'm', authToken: 'token', baseUrl: server.url }))
    await askModel(createAnthropicModel({ id: 'm', baseUrl: server.url }))

    const sentHeaders = server.requests.map(({ headers }) => JSON.stringify(headers))
    expect(sentHeaders[0]).toMatch(/secret-key/)
    expect(server.requests[0]?.headers['x-team']).toBe('blue')
    expect(server.requests[1]?.headers.authorization).toBe('Bearer token')
    expect(server.requests[2]?.headers.authorization).toBeUndefined()
  })

  test('can use a custom fetch', async () => {
    const server = await start({ parts: [{ text: 'by the global one' }], encoding: 'gzip' })

    const blocks = listBlocks(await askModel(createModelAt(server, { fetch: globalThis.fetch })))

    expect(blocks).toEqual([{ type: 'text', text: 'by the global one' }])
  })
})
