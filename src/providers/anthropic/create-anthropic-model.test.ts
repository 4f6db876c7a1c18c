import { afterEach, describe, expect, test, vi } from 'vitest'
import type { AssistantMessage } from '../../contract/messages.js'
import type { Model, ModelEvent, ModelRequest } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { askModel, blocksOf, HELLO } from '../../testing/models/ask-model.js'
import { endlessFetch } from '../../testing/models/endless-fetch.js'
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

function modelAt(server: ModelServer, options: Partial<AnthropicModelOptions> = {}): Model {
  return createAnthropicModel({ id: 'claude-sonnet-5-5', apiKey: 'secret-key', baseUrl: server.url, ...options })
}

/** Returns the error of a request and the events before it. */
async function failure(model: Model): Promise<{ events: ModelEvent[]; error: ModelError }> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(HELLO, { signal: new AbortController().signal })) events.push(event)
  } catch (error) {
    return { events, error: error as ModelError }
  }
  throw new Error('The stream did not fail.')
}

describe('an answer', () => {
  test('streams text and ends with the usage', async () => {
    const server = await start({
      parts: [{ text: 'Good day' }],
      pieceSize: 4,
      usage: { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
    })

    expect(await askModel(modelAt(server))).toEqual([
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

  test('with one call', async () => {
    const server = await start({ parts: [{ call: 'Read', id: 'toolu_x', input: { path: 'a' } }] })

    const events = await askModel(modelAt(server))

    expect(events.slice(1)).toEqual([
      { type: 'call-begun', id: 'toolu_x', name: 'Read' },
      { type: 'input-delta', id: 'toolu_x', json: '{"path":"a"}' },
      { type: 'block-ended', block: { type: 'tool_use', id: 'toolu_x', name: 'Read', input: { path: 'a' } } },
      expect.objectContaining({ type: 'message-ended', stopReason: 'tool_use' }),
    ])
  })

  test('completes a call before the message ends', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const server = await start({ parts: [{ call: 'Read', input: { path: 'a' } }, { gate }, { text: 'later' }] })

    const types: string[] = []
    for await (const event of modelAt(server).stream(HELLO, { signal: new AbortController().signal })) {
      types.push(event.type)
      if (event.type === 'block-ended') open()
    }

    expect(types.at(-1)).toBe('message-ended')
  })

  test('with ten parallel calls whose JSON is sent character by character', async () => {
    const inputs = Array.from({ length: 10 }, (_, n) => ({ path: `ordner/${n}/ä"\\n😀`, nested: { list: [n, null] } }))
    const server = await start({ parts: inputs.map((input) => ({ call: 'Read', input })), pieceSize: 1 })

    const blocks = blocksOf(await askModel(modelAt(server)))

    expect(blocks.map((block) => block.type === 'tool_use' && block.input)).toEqual(inputs)
  })

  test('may be split into chunks inside characters and lines', async () => {
    const text = 'Füße 😀 天气 – “quoted”\r\nline'
    for (const chunkSize of [1, 2, 3, 7]) {
      const server = await start({ parts: [{ text }, { call: 'Say', input: { text } }], chunkSize })

      const blocks = blocksOf(await askModel(modelAt(server)))

      expect(blocks).toMatchObject([{ text }, { input: { text } }])
    }
  })

  test.each(['gzip', 'br'] as const)('may be compressed with %s', async (encoding) => {
    const server = await start({ parts: [{ text: 'small' }], encoding })

    expect(blocksOf(await askModel(modelAt(server)))).toEqual([{ type: 'text', text: 'small' }])
  })

  test('passes invalid JSON input on as a string', async () => {
    const server = await start({ parts: [{ call: 'Read', json: '{"path": oops' }] })

    expect(blocksOf(await askModel(modelAt(server)))).toMatchObject([{ input: '{"path": oops' }])
  })

  test('gives a call without input an empty object', async () => {
    const server = await start({
      parts: [
        { call: 'List', json: '' },
        { call: 'List', json: '' },
      ],
    })

    expect(blocksOf(await askModel(modelAt(server)))).toMatchObject([{ input: {} }, { input: {} }])
  })

  test.each([
    ['in the middle of its JSON', '{"path": "a'],
    ['before its JSON', ''],
  ])('a call cut off by max_tokens %s is reported as cut', async (_, json) => {
    const server = await start({
      parts: [{ text: 'Reading' }, { call: 'Read', id: 'toolu_x', json }],
      stopReason: 'max_tokens',
    })

    const events = await askModel(modelAt(server))

    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'Reading' }])
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
  ])('maps the stop reason %s to %s', async (sent, stopReason) => {
    const server = await start({ parts: [{ text: 'I' }], stopReason: sent })

    expect((await askModel(modelAt(server))).at(-1)).toMatchObject({ type: 'message-ended', stopReason })
  })

  test('skips unknown blocks and events', async () => {
    const unknown = (type: string, fields: object) => ({
      raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`,
    })
    const server = await start({
      parts: [
        unknown('something_new', {}),
        unknown('content_block_start', { index: 9, content_block: { type: 'server_tool_use', id: 'x' } }),
        unknown('content_block_delta', { index: 9, delta: { type: 'input_json_delta', partial_json: '{}' } }),
        unknown('content_block_stop', { index: 9 }),
        { text: 'fine' },
      ],
    })

    expect(blocksOf(await askModel(modelAt(server)))).toEqual([{ type: 'text', text: 'fine' }])
  })
})

describe('failures', () => {
  const problem = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
    status,
    headers,
    body: { type: 'error', error: { type, message } },
  })

  test.each([
    [problem(429, 'rate_limit_error', 'slow', { 'retry-after': '12' }), 'rate_limited', 12_000],
    [problem(429, 'rate_limit_error', 'slow', { 'retry-after-ms': '250' }), 'rate_limited', 250],
    [problem(429, 'rate_limit_error', 'slow'), 'rate_limited', undefined],
    [problem(529, 'overloaded_error', 'Overloaded'), 'overloaded', undefined],
    [problem(500, 'api_error', 'oops'), 'server_error', undefined],
    [{ status: 502, body: '<html>Bad gateway</html>' }, 'server_error', undefined],
    [problem(401, 'authentication_error', 'invalid key'), 'unauthorised', undefined],
    [problem(403, 'permission_error', 'not yours'), 'unauthorised', undefined],
    [problem(404, 'not_found_error', 'model: x'), 'unknown_model', undefined],
    [problem(413, 'request_too_large', 'too many bytes'), 'too_long', undefined],
    [problem(400, 'invalid_request_error', 'prompt is too long: 9 > 8'), 'too_long', undefined],
    [problem(400, 'invalid_request_error', 'tools.0: bad'), 'invalid_request', undefined],
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'invalid_request', undefined],
  ])('%j is reported as %s', async (turn, kind, retryAfterMs) => {
    const server = await start(turn)

    const { error } = await failure(modelAt(server))

    expect(error).toMatchObject({ name: 'ModelError', kind, status: turn.status, retryAfterMs })
    expect(error.message).not.toMatch(/\n/)
    expect(server.requests).toHaveLength(1)
  })

  test('a retry-after date is converted to a delay', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString()
    const server = await start(problem(429, 'rate_limit_error', 'slow', { 'retry-after': date }))

    const { retryAfterMs = 0 } = (await failure(modelAt(server))).error

    expect(retryAfterMs).toBeGreaterThan(60_000)
    expect(retryAfterMs).toBeLessThanOrEqual(90_000)
  })

  test('an error event in the middle of the stream is reported', async () => {
    const server = await start({
      parts: [{ text: 'Well' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
    })

    const { events, error } = await failure(modelAt(server))

    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'Well' }])
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

    const { events, error } = await failure(modelAt(server))

    expect(error).toMatchObject({ kind: 'stream_cut', isTransient: true })
    expect(blocksOf(events).map((block) => block.type === 'tool_use' && block.id)).not.toContain('toolu_b')
  })

  test('data that is not JSON is reported', async () => {
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: {oops\n\n' }] })

    expect((await failure(modelAt(server))).error.kind).toBe('stream_cut')
  })

  test('the SDK writes nothing to the console', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => {})
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: {oops\n\n' }] })

    await failure(modelAt(server))

    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
  })

  test.each([
    problem(400, 'invalid_request_error', 'tools.3.custom.defer_loading: Extra inputs are not permitted'),
    { status: 422, body: { detail: [{ loc: ['body', 'tools', 0, 'defer_loading'], msg: 'extra fields' }] } },
  ])('a server that answers %j is recognised as not supporting deferred tools', async (turn) => {
    const server = await start(turn)

    expect(isCarrierRejection((await failure(modelAt(server))).error)).toBe(true)
  })

  test('an event that is not an object is reported', async () => {
    const server = await start({ parts: [{ raw: 'event: content_block_start\ndata: null\n\n' }] })

    expect((await failure(modelAt(server))).error.kind).toBe('stream_cut')
  })

  test('a response that is not a stream is reported', async () => {
    const server = await start({ status: 200, body: { hello: 'there' } })

    expect((await failure(modelAt(server))).error.kind).toBe('stream_cut')
  })

  test('an unreachable server is reported', async () => {
    const server = await start()
    await server.close()

    const { error } = await failure(modelAt(server))

    expect(error).toMatchObject({ kind: 'network', isTransient: true })
    expect(error.message).toMatch(/ECONNREFUSED/)
  })

  test('a server that stops sending times out', async () => {
    const never = new Promise(() => {})
    const server = await start({ parts: [{ text: 'Well' }, { gate: never }] })

    const { events, error } = await failure(modelAt(server, { idleTimeoutMs: 1000 }))

    expect(blocksOf(events)).toEqual([{ type: 'text', text: 'Well' }])
    expect(error.kind).toBe('timed_out')
  })

  test.each([
    ['pings', { type: 'ping' }],
    ['empty deltas', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } }],
    ['unknown events', { type: 'more' }],
  ])('a server that sends only %s times out', async (_, again) => {
    const line = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
    const began = [
      { type: 'message_start', message: { id: 'a', model: 'm' } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Well' } },
    ]
    const fetch = endlessFetch(began.map(line).join(''), line(again))

    const { events, error } = await failure(createAnthropicModel({ id: 'm', apiKey: 'k', fetch, idleTimeoutMs: 30 }))

    expect(events.map(({ type }) => type)).toEqual(['message-started', 'text-delta'])
    expect(error).toMatchObject({ kind: 'timed_out', isTransient: true })
  })

  test('a server that never answers times out', async () => {
    const server = await start({ hold: new Promise(() => {}) })

    expect((await failure(modelAt(server, { idleTimeoutMs: 25 }))).error.kind).toBe('timed_out')
  })

  test('rejected thinking is omitted from then on, but later thinking is sent', async () => {
    const refusal = problem(
      400,
      'invalid_request_error',
      'messages.1.content.0: Invalid `signature` in `thinking` block',
    )
    const server = await start(refusal, { parts: [{ text: 'Fine' }] }, { parts: [{ text: 'Fine' }] })
    const model = modelAt(server)
    const thought = (signature: string): AssistantMessage => ({
      type: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature },
        { type: 'text', text: 'Yes' },
      ],
    })
    const first: ModelRequest = { ...HELLO, messages: [...HELLO.messages, thought('old'), ...HELLO.messages] }

    const blocks = blocksOf(await askModel(model, first))
    await askModel(model, { ...first, messages: [...first.messages, thought('new'), ...HELLO.messages] })

    expect(blocks).toEqual([{ type: 'text', text: 'Fine' }])
    const signatures = server.requests.map(({ body }) => JSON.stringify(body).match(/"signature":"\w+"/g))
    expect(signatures).toEqual([['"signature":"old"'], null, ['"signature":"new"']])
  })

  test('a rejection of thinking is an error if there is no thinking to omit', async () => {
    const refusal = problem(400, 'invalid_request_error', 'Invalid `signature` in `thinking` block')
    const server = await start(refusal)

    expect((await failure(modelAt(server))).error.kind).toBe('invalid_request')
    expect(server.requests).toHaveLength(1)
  })

  test('an abort in the middle of the stream is reported', async () => {
    const server = await start({ parts: [{ text: 'Well' }, { gate: new Promise(() => {}) }] })
    const controller = new AbortController()
    const events = modelAt(server).stream(HELLO, { signal: controller.signal })

    const reading = (async () => {
      for await (const event of events) if (event.type === 'block-ended') controller.abort()
    })()

    await expect(reading).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('an abort before the response is reported', async () => {
    const server = await start({ parts: [{ gate: new Promise(() => {}) }] })
    const controller = new AbortController()

    const reading = askModel(modelAt(server), HELLO, controller.signal)
    await server.request(0)
    controller.abort()

    await expect(reading).rejects.toMatchObject({ kind: 'aborted' })
  })

  test('messages never contain a key', async () => {
    const server = await start(problem(401, 'authentication_error', 'invalid key: secret-key'))

    const { error } = await failure(modelAt(server))
    const { error: unsendable } = await failure(modelAt(server, { apiKey: 'secret-key\nmore' }))

    expect(error.message).not.toMatch(/secret/)
    expect(unsendable.message).not.toMatch(/secret/)
  })
})

describe('the connection', () => {
  test('is reused for all requests of a conversation', async () => {
    const server = await start({ parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }, { parts: [{ text: 'c' }] })
    const model = modelAt(server)

    for (let n = 0; n < 3; n++) await askModel(model)

    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0, 0])
  })

  test('sends the configured key and headers', async () => {
    const server = await start({ parts: [{ text: 'a' }] }, { parts: [{ text: 'b' }] }, { parts: [{ text: 'c' }] })

    await askModel(modelAt(server, { headers: { 'x-team': 'blue' } }))
    await askModel(createAnthropicModel({ id: 'm', authToken: 'token', baseUrl: server.url }))
    await askModel(createAnthropicModel({ id: 'm', baseUrl: server.url }))

    const sent = server.requests.map(({ headers }) => JSON.stringify(headers))
    expect(sent[0]).toMatch(/secret-key/)
    expect(server.requests[0]?.headers['x-team']).toBe('blue')
    expect(server.requests[1]?.headers.authorization).toBe('Bearer token')
    expect(server.requests[2]?.headers.authorization).toBeUndefined()
  })

  test('can use a custom fetch', async () => {
    const server = await start({ parts: [{ text: 'by the global one' }], encoding: 'gzip' })

    const blocks = blocksOf(await askModel(modelAt(server, { fetch: globalThis.fetch })))

    expect(blocks).toEqual([{ type: 'text', text: 'by the global one' }])
  })
})
