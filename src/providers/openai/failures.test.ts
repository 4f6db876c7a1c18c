import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../contract/model/model.js'
import type { ModelError } from '../../contract/model/model-error.js'
import { createEndlessFetch } from '../../testing/models/endless-fetch.js'
import { createChatCall, createChatDelta } from '../../testing/models/openai-chunks.js'
import { type OpenAIResponse, OpenAIServer } from '../../testing/models/openai-server.js'
import { HELLO_REQUEST, tryModel } from '../../testing/models/try-model.js'
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.js'

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

describe('with an OpenAI endpoint,', () => {
  const createErrorBody = (message: string, extraFields: Record<string, unknown> = {}) => ({
    error: { message, ...extraFields },
  })

  test.each<[string, OpenAIResponse, Partial<ModelError>]>([
    [
      '429',
      { status: 429, body: createErrorBody('Slow down'), headers: { 'retry-after': '7' } },
      { kind: 'rate_limited', status: 429, retryAfterMs: 7000 },
    ],
    [
      '429 with a delay in milliseconds',
      { status: 429, body: createErrorBody('Slow down'), headers: { 'retry-after': '7', 'retry-after-ms': '1500' } },
      { kind: 'rate_limited', retryAfterMs: 1500 },
    ],
    [
      '429 because of exceeded quota',
      { status: 429, body: createErrorBody('Quota', { code: 'insufficient_quota' }) },
      { kind: 'unauthorised' },
    ],
    ['500', { status: 500, body: createErrorBody('Oh') }, { kind: 'server_error', status: 500 }],
    [
      '502 with an HTML page',
      { status: 502, body: '<html>\nBad gateway</html>' },
      { kind: 'server_error', message: expect.stringContaining('an HTML page instead') as unknown as string },
    ],
    ['503', { status: 503, body: createErrorBody('Busy') }, { kind: 'overloaded' }],
    ['529', { status: 529, body: createErrorBody('Busy') }, { kind: 'overloaded', status: 529 }],
    [
      '401',
      { status: 401, body: createErrorBody(`Incorrect key: ${KEY}`) },
      { kind: 'unauthorised', message: expect.stringContaining('Incorrect key: [key]') as unknown as string },
    ],
    [
      '404 for the model',
      { status: 404, body: createErrorBody("model 'm' not found, try pulling it first") },
      { kind: 'unknown_model' },
    ],
    [
      '404 for the URL',
      { status: 404, body: '' },
      { kind: 'invalid_request', message: expect.stringContaining('base URL') as unknown as string },
    ],
    [
      'a conversation that is too long',
      { status: 400, body: createErrorBody('Too much', { code: 'context_length_exceeded' }) },
      { kind: 'too_long', status: 400 },
    ],
    [
      'a conversation that is too long for vLLM',
      { status: 400, body: { object: 'error', message: "This model's maximum context length is 4096 tokens." } },
      { kind: 'too_long' },
    ],
    [
      'a conversation that is too long for llama.cpp',
      {
        status: 400,
        body: createErrorBody('the request exceeds the available context size', { type: 'exceed_context_size_error' }),
      },
      { kind: 'too_long' },
    ],
    ['400', { status: 400, body: createErrorBody('What?') }, { kind: 'invalid_request' }],
    [
      'an error in the stream',
      { events: [createChatDelta({ content: 'a' }), createErrorBody('Overloaded', { code: 'overloaded' })] },
      { kind: 'overloaded' },
    ],
    [
      'an error in the stream of a router',
      { events: [createChatDelta({ content: 'a' }), createErrorBody('Upstream', { code: 429 })] },
      { kind: 'rate_limited', status: 429 },
    ],
    [
      'an error in the stream of an old vLLM',
      { events: [{ object: 'error', message: 'Oh', code: 500 }] },
      { kind: 'server_error' },
    ],
    [
      'a cut in the middle of a call',
      { events: [createChatDelta({ tool_calls: [createChatCall(0, 'A', '{"x"', 'i')] })], end: 'cut' },
      { kind: 'stream_cut' },
    ],
    [
      'an end without a finish reason',
      { events: [createChatDelta({ content: 'a' })], end: 'plain' },
      { kind: 'stream_cut' },
    ],
    ['an empty stream', { events: [], end: 'plain' }, { kind: 'stream_cut' }],
  ])('%s is reported with its kind of error', async (_, answer, expected) => {
    const { error, events, requests } = await ask([answer])

    expect(error).toMatchObject(expected)
    expect(JSON.stringify([error?.message, String(error?.cause), error?.stack])).not.toContain(KEY)
    expect(error?.message).not.toContain('\n')
    expect(events.some(({ type }) => type === 'message-ended')).toBe(false)
    expect(requests).toHaveLength(1)
  })

  test('an unreachable server is reported', async () => {
    const stoppedServer = await OpenAIServer.start()
    const { url } = stoppedServer
    await stoppedServer.stop()

    const { error } = await ask([], { baseUrl: url })

    expect(error).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') })
  })

  test('a server that stops sending times out, before and after the first byte', async () => {
    // A separate server, because a request that is aborted early may leave its response to the next request.
    const silentServer = await OpenAIServer.start()
    const askSilentServer = (response: OpenAIResponse, first: number, next: number) => {
      silentServer.respondWith(response)
      return ask([], { baseUrl: silentServer.url, idleLimits: { first, next } })
    }

    const afterFirstByte = await askSilentServer(
      { events: [createChatDelta({ content: 'a' })], end: 'never' },
      60_000,
      20,
    )
    const beforeFirstByte = await askSilentServer({ events: [], end: 'never' }, 20, 60_000)

    expect([afterFirstByte.error, beforeFirstByte.error]).toMatchObject([{ kind: 'timed_out' }, { kind: 'timed_out' }])
    await silentServer.stop()
  })

  test.each([
    ['comments', ': OPENROUTER PROCESSING\n\n'],
    ['empty deltas', `data: ${JSON.stringify(createChatDelta({ content: '' }))}\n\n`],
    ['unknown chunks', 'data: {}\n\n'],
  ])('a server that sends only %s times out', async (_, repeatedChunk) => {
    const fetch = createEndlessFetch(`data: ${JSON.stringify(createChatDelta({ content: 'a' }))}\n\n`, repeatedChunk)

    const { error, events } = await ask([], { fetch, progressLimits: { first: 60_000, next: 30 } })

    expect(events.map(({ type }) => type)).toEqual(['message-started', 'text-delta'])
    expect(error).toMatchObject({ kind: 'timed_out', isTransient: true })
  })

  test('pings after a complete message do not count as a failure', async () => {
    const fetch = createEndlessFetch(
      `data: ${JSON.stringify(createChatDelta({ content: 'a' }, 'stop'))}\n\n`,
      ': ping\n\n',
    )

    const { error, events } = await ask([], { fetch })

    expect(error).toBeUndefined()
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'end_turn' })
  })

  test('a connection left open after a complete message does not count as a failure', async () => {
    const afterFinishReason = await ask([{ events: [createChatDelta({ content: 'a' }, 'stop')], end: 'never' }])
    const afterDoneLine = await ask([{ events: [createChatDelta({ content: 'a' })], end: 'open' }])

    expect([afterFinishReason.error, afterDoneLine.error]).toEqual([undefined, undefined])
    expect(afterDoneLine.events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'end_turn' })
  })

  test('an abort is reported, and nothing is sent if the signal is already aborted', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const previousCount = server.requests.length
    server.respondWith({ events: [createChatDelta({ content: 'a' })], end: 'never' })

    const readPromise = (async () => {
      for await (const event of createModel().stream(HELLO_REQUEST, { signal }))
        if (event.type === 'text-delta') controller.abort()
    })()

    await expect(readPromise).rejects.toMatchObject({ kind: 'aborted' })
    expect((await tryModel(createModel(), HELLO_REQUEST, signal)).error).toMatchObject({ kind: 'aborted' })
    expect(server.requests.length - previousCount).toBe(1)
  })

  test('a missing key for OpenAI is reported', async () => {
    const model = createOpenAIModel({ id: 'm' })

    expect((await ask([], {}, { model })).error).toMatchObject({
      kind: 'unauthorised',
      message: expect.stringContaining('OPENAI_API_KEY'),
    })
  })
})

describe('an endpoint with limited support', () => {
  test('receives all requests as chat completions once it has rejected the Responses API', async () => {
    const model = createModel({ api: 'responses' })
    const text = { events: [createChatDelta({ content: 'a' }, 'stop')] }

    const first = await ask([{ status: 404, body: 'Not found' }, text], {}, { model })
    const second = await ask([text], {}, { model })

    expect([...first.paths, ...second.paths]).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions'])
    expect(second.error).toBeUndefined()
  })

  test('is not asked through the other API if it lacks only the model', async () => {
    const { error, paths } = await ask([{ status: 404, body: { error: { message: 'x', code: 'model_not_found' } } }], {
      api: 'responses',
    })

    expect([error?.kind, paths]).toEqual(['unknown_model', ['/v1/responses']])
  })

  test('does not receive rejected parameters again', async () => {
    const model = createModel()
    const text = { events: [createChatDelta({ content: 'a' }, 'stop')] }
    const request: ModelRequest = {
      ...HELLO_REQUEST,
      maxOutputTokens: 5,
      thinking: { type: 'enabled', budgetTokens: 1 },
    }
    const refusal = (message: string) => ({ status: 400, body: { error: { message } } })

    await ask(
      [
        refusal('Unknown field: stream_options'),
        refusal("'reasoning_effort' is not supported"),
        refusal("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        text,
      ],
      {},
      { model, request },
    )
    const { requests } = await ask([text], {}, { model, request })

    expect(requests).toHaveLength(1)
    expect(Object.keys(requests[0] ?? {})).toEqual(['model', 'messages', 'tools', 'stream', 'max_completion_tokens'])
  })

  test('receives invalid JSON arguments unchanged, or wrapped in JSON if it parses them', async () => {
    const request: ModelRequest = {
      ...HELLO_REQUEST,
      messages: [
        ...HELLO_REQUEST.messages,
        { type: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'Read', input: '{"x":' }] },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'i', content: 'no', is_error: true }] },
      ],
    }
    const refusal = { status: 500, body: { error: { message: 'Failed to parse tool call arguments as JSON' } } }

    const { requests, error } = await ask([refusal, { events: [createChatDelta({}, 'stop')] }], {}, { request })

    expect(error).toBeUndefined()
    expect(requests.map(readArgumentsIn)).toEqual(['{"x":', '{"invalid_json":"{\\"x\\":"}'])
  })
})

function readArgumentsIn(body: Record<string, unknown>): unknown {
  const messages = body.messages as { tool_calls?: { function: { arguments: unknown } }[] }[]
  return messages.flatMap(({ tool_calls = [] }) => tool_calls)[0]?.function.arguments
}
