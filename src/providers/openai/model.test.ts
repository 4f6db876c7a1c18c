import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelBlock, ModelEvent, ModelRequest } from '../../contract/model.js'
import { ModelError } from '../../contract/model-error.js'
import { type OpenAIAnswer, OpenAIServer } from '../../testing/openai-server.js'
import { createOpenAIModel, type OpenAIModelOptions } from './create-openai-model.js'

const KEY = 'sk-very-secret-key'
const HELLO: ModelRequest = {
  system: ['Be brief.', 'Be kind.'],
  tools: [{ name: 'Read', description: 'Reads', input_schema: { type: 'object', properties: {} }, strict: true }],
  builtInTools: 1,
  messages: [{ type: 'user', content: 'Hello' }],
  conversationId: 'c1',
}

let server: OpenAIServer
beforeAll(async () => {
  server = await OpenAIServer.start()
})
afterAll(async () => {
  await server.stop()
})

interface Outcome {
  readonly events: ModelEvent[]
  readonly error: ModelError | undefined
  readonly requests: Record<string, unknown>[]
  readonly paths: string[]
}

/** What comes of one request that the server answers so. */
async function ask(
  answers: readonly OpenAIAnswer[],
  options: Partial<OpenAIModelOptions> = {},
  { request = HELLO, signal = new AbortController().signal, model = modelOf(options) } = {},
): Promise<Outcome> {
  const before = server.requests.length
  server.will(...answers)
  const events: ModelEvent[] = []
  let error: ModelError | undefined
  try {
    for await (const event of model.stream(request, { signal })) events.push(event)
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    error = thrown
  }
  const seen = server.requests.slice(before)
  return { events, error, requests: seen.map(({ body }) => body), paths: seen.map(({ path }) => path) }
}

function modelOf(options: Partial<OpenAIModelOptions> = {}) {
  return createOpenAIModel({ id: 'm', apiKey: KEY, baseUrl: server.url, ...options })
}

function blocksOf(events: readonly ModelEvent[]): ModelBlock[] {
  return events.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []))
}

function delta(delta: unknown, finish_reason?: string): unknown {
  return { id: 'c', model: 'm-1', choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }) }] }
}

function callPiece(index: number | undefined, name: string | undefined, json: unknown, id?: string): unknown {
  return {
    ...(index !== undefined && { index }),
    ...(id && { id }),
    function: { ...(name && { name }), arguments: json },
  }
}

const USAGE = {
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 7 } },
}

describe('a chat', () => {
  test('text, thinking and calls come as they are sent, and the usage is split', async () => {
    const { events, requests, paths } = await ask([
      {
        events: [
          delta({ role: 'assistant', content: '', reasoning_content: 'Hm' }),
          delta({ reasoning_content: '…' }),
          delta({ content: 'I ' }),
          delta({ content: 'look.' }),
          delta({ tool_calls: [callPiece(0, 'Read', '', 'a')] }),
          delta({ tool_calls: [callPiece(0, undefined, '{"x"')] }),
          delta({ tool_calls: [callPiece(0, undefined, ':1}')] }),
          delta({ tool_calls: [callPiece(1, 'Read', '{}', 'b')] }),
          delta({}, 'tool_calls'),
          USAGE,
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

  test('the key goes along, and none where there is none', async () => {
    await ask([{ events: [delta({ content: 'a' }, 'stop')] }], { headers: { 'x-title': 'haft' } })
    expect(server.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-title': 'haft' })

    const { apiKey: _, ...options } = { id: 'm', apiKey: '', baseUrl: server.url }
    await ask([{ events: [delta({ content: 'a' }, 'stop')] }], {}, { model: createOpenAIModel(options) })
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  test.each<[string, unknown[], unknown]>([
    [
      'whole calls without number or id',
      [delta({ tool_calls: [callPiece(undefined, 'A', '{"x":1}'), callPiece(undefined, 'A', '{"x":2}')] }, 'stop')],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'whole calls that are all number 0',
      [delta({ tool_calls: [callPiece(0, 'A', '{"x":1}', 'i'), callPiece(0, 'B', '', 'j')] }, 'tool_calls')],
      [
        ['A', { x: 1 }],
        ['B', {}],
      ],
    ],
    [
      'whole calls that are all number 0, one a chunk, without ids',
      [
        delta({ tool_calls: [callPiece(0, 'A', '{"x":1}')] }),
        delta({ tool_calls: [callPiece(0, 'A', '{"x":2}')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'an id that repeats',
      [
        delta({ tool_calls: [callPiece(0, 'A', '{"x":1}', 'i')] }),
        delta({ tool_calls: [callPiece(1, 'A', '{"x":2}', 'i')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['A', { x: 2 }],
      ],
    ],
    [
      'id and name with every piece',
      [
        delta({ tool_calls: [callPiece(0, 'A', '{"x"', 'i')] }),
        delta({ tool_calls: [callPiece(0, 'A', ':1}', 'i')] }),
        delta({ tool_calls: [callPiece(0, 'A', '', 'i')] }, 'stop'),
      ],
      [['A', { x: 1 }]],
    ],
    [
      'pieces of two calls in turns',
      [
        delta({ tool_calls: [callPiece(0, 'A', '', 'i'), callPiece(1, 'B', '', 'j')] }),
        delta({ tool_calls: [callPiece(1, undefined, '{"y"')] }),
        delta({ tool_calls: [callPiece(0, undefined, '{"x":1}')] }),
        delta({ tool_calls: [callPiece(1, undefined, ':2}')] }, 'stop'),
      ],
      [
        ['A', { x: 1 }],
        ['B', { y: 2 }],
      ],
    ],
    [
      'the name after its arguments began',
      [
        delta({ tool_calls: [callPiece(0, undefined, '{"x"', 'i')] }),
        delta({ tool_calls: [callPiece(0, 'A', ':1}')] }, 'stop'),
      ],
      [['A', { x: 1 }]],
    ],
    [
      'no arguments at all',
      [delta({ tool_calls: [{ index: 0, id: 'i', function: { name: 'A' } }] }, 'tool_calls')],
      [['A', {}]],
    ],
    [
      'arguments that are no text',
      [delta({ tool_calls: [callPiece(0, 'A', { x: 1 }, 'i')] }, 'tool_calls')],
      [['A', { x: 1 }]],
    ],
    [
      'arguments that are no JSON',
      [delta({ tool_calls: [callPiece(0, 'A', '{"x":', 'i')] }, 'tool_calls')],
      [['A', '{"x":']],
    ],
    [
      'a message instead of a delta',
      [{ choices: [{ message: { tool_calls: [callPiece(undefined, 'A', '{}')] }, finish_reason: 'stop' }] }],
      [['A', {}]],
    ],
    ['no reason at the end', [delta({ tool_calls: [callPiece(0, 'A', '{}', 'i')] })], [['A', {}]]],
  ])('%s', async (_, chunks, calls) => {
    const { events, error } = await ask([{ events: chunks }])

    expect(error).toBeUndefined()
    const blocks = blocksOf(events)
    expect(blocks.map((block) => (block.type === 'tool_use' ? [block.name, block.input] : block))).toEqual(calls)
    const ids = blocks.map((block) => (block.type === 'tool_use' ? block.id : ''))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).not.toContain('')
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: 'tool_use' })
    expect(joinedInputs(events)).toEqual(
      Object.fromEntries(blocks.map((b) => [b.type === 'tool_use' && b.id, b.type === 'tool_use' && b.input])),
    )
  })

  test('an id that an earlier message has is changed', async () => {
    const request: ModelRequest = {
      ...HELLO,
      messages: [
        ...HELLO.messages,
        { type: 'assistant', content: [{ type: 'tool_use', id: 'call_0', name: 'Read', input: {} }] },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_0', content: 'x' }] },
      ],
    }

    const { events } = await ask(
      [{ events: [delta({ tool_calls: [callPiece(0, 'Read', '{}', 'call_0')] }, 'stop')] }],
      {},
      { request },
    )

    expect(blocksOf(events)).toMatchObject([{ type: 'tool_use', id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/) }])
  })

  test.each<[string, unknown[], { stop: string; blocks: unknown[]; cut?: string[] }]>([
    [
      'refusal in its own field',
      [delta({ refusal: 'No' }), delta({ refusal: '.' }, 'stop')],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'No.' }] },
    ],
    [
      'a filter',
      [delta({ content: 'Well' }, 'content_filter')],
      { stop: 'refusal', blocks: [{ type: 'text', text: 'Well' }] },
    ],
    [
      'the limit in a call',
      [delta({ tool_calls: [callPiece(0, 'A', '{"x":1}', 'i'), callPiece(1, 'B', '{"y"', 'j')] }, 'length')],
      { stop: 'max_tokens', blocks: [{ type: 'tool_use', id: 'i', name: 'A', input: { x: 1 } }], cut: ['j'] },
    ],
    [
      'the limit before any argument',
      [delta({ tool_calls: [callPiece(0, 'A', '', 'i')] }, 'length')],
      { stop: 'max_tokens', blocks: [], cut: ['i'] },
    ],
    [
      'the limit in a text',
      [delta({ content: 'Wel' }, 'length')],
      { stop: 'max_tokens', blocks: [{ type: 'text', text: 'Wel' }] },
    ],
    [
      'reasoning in the other field',
      [delta({ reasoning: 'Hm' }), delta({ content: 'Yes' }, 'stop')],
      {
        stop: 'end_turn',
        blocks: [
          { type: 'thinking', thinking: 'Hm', id: 'reasoning' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ],
    [
      'parts as content',
      [
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
        delta({ content: [{ type: 'text', text: 'Yes' }] }, 'stop'),
      ],
      {
        stop: 'end_turn',
        blocks: [
          { type: 'thinking', thinking: 'Hm', id: 'reasoning' },
          { type: 'text', text: 'Yes' },
        ],
      },
    ],
    ['an answer of nothing', [delta({}, 'stop')], { stop: 'end_turn', blocks: [] }],
  ])('ends with %s', async (_, chunks, { stop, blocks, cut = [] }) => {
    const { events } = await ask([{ events: chunks }])

    expect(blocksOf(events)).toEqual(blocks)
    expect(events.flatMap((event) => (event.type === 'call-cut' ? [event.id] : []))).toEqual(cut)
    expect(events.at(-1)).toMatchObject({ type: 'message-ended', stopReason: stop })
  })

  test('usage alone is an end, too, and what breaks after the end does not matter', async () => {
    const whole = await ask([{ events: [delta({ content: 'a' }), USAGE], end: 'plain' }])
    const broken = await ask([{ events: [delta({ content: 'a' }, 'stop')], end: 'cut' }])

    expect([whole.error, broken.error]).toEqual([undefined, undefined])
    expect(whole.events.at(-1)).toMatchObject({ stopReason: 'end_turn', usage: { input: 3, cacheRead: 7 } })
  })

  test('thinking that is asked for becomes an effort, and the limit is sent', async () => {
    const request: ModelRequest = { ...HELLO, maxOutputTokens: 5, thinking: { type: 'enabled', budgetTokens: 10_000 } }

    const { requests } = await ask([{ events: [delta({}, 'stop')] }], {}, { request })

    expect(requests[0]).toMatchObject({ max_tokens: 5, reasoning_effort: 'medium' })
  })
})

function joinedInputs(events: readonly ModelEvent[]): Record<string, unknown> {
  const texts: Record<string, string> = {}
  for (const event of events) {
    if (event.type === 'call-begun') texts[event.id] = ''
    if (event.type === 'input-delta') texts[event.id] += event.json
  }
  return Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, inputOf(text)]))
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return text
  }
}

describe('what fails', () => {
  const failed = (message: string, more: Record<string, unknown> = {}) => ({ error: { message, ...more } })

  test.each<[string, OpenAIAnswer, Partial<ModelError>]>([
    [
      '429',
      { status: 429, body: failed('Slow down'), headers: { 'retry-after': '7' } },
      { kind: 'rate_limited', status: 429, retryAfterMs: 7000 },
    ],
    [
      '429 in milliseconds',
      { status: 429, body: failed('Slow down'), headers: { 'retry-after': '7', 'retry-after-ms': '1500' } },
      { kind: 'rate_limited', retryAfterMs: 1500 },
    ],
    [
      '429 without money',
      { status: 429, body: failed('Quota', { code: 'insufficient_quota' }) },
      { kind: 'unauthorised' },
    ],
    ['500', { status: 500, body: failed('Oh') }, { kind: 'server_error', status: 500 }],
    [
      '502 with a page',
      { status: 502, body: '<html>\nBad gateway</html>' },
      { kind: 'server_error', message: expect.stringContaining('a web page instead') as unknown as string },
    ],
    ['503', { status: 503, body: failed('Busy') }, { kind: 'overloaded' }],
    ['529', { status: 529, body: failed('Busy') }, { kind: 'overloaded', status: 529 }],
    [
      '401',
      { status: 401, body: failed(`Incorrect key: ${KEY}`) },
      { kind: 'unauthorised', message: expect.stringContaining('Incorrect key: [key]') as unknown as string },
    ],
    [
      '404 of the model',
      { status: 404, body: failed("model 'm' not found, try pulling it first") },
      { kind: 'unknown_model' },
    ],
    [
      '404 of the address',
      { status: 404, body: '' },
      { kind: 'invalid_request', message: expect.stringContaining('base URL') as unknown as string },
    ],
    [
      'too long',
      { status: 400, body: failed('Too much', { code: 'context_length_exceeded' }) },
      { kind: 'too_long', status: 400 },
    ],
    [
      'too long in the words of vLLM',
      { status: 400, body: { object: 'error', message: "This model's maximum context length is 4096 tokens." } },
      { kind: 'too_long' },
    ],
    [
      'too long in the words of llama.cpp',
      {
        status: 400,
        body: failed('the request exceeds the available context size', { type: 'exceed_context_size_error' }),
      },
      { kind: 'too_long' },
    ],
    ['400', { status: 400, body: failed('What?') }, { kind: 'invalid_request' }],
    [
      'an error in the stream',
      { events: [delta({ content: 'a' }), failed('Overloaded', { code: 'overloaded' })] },
      { kind: 'overloaded' },
    ],
    [
      'an error in the stream of a router',
      { events: [delta({ content: 'a' }), failed('Upstream', { code: 429 })] },
      { kind: 'rate_limited', status: 429 },
    ],
    [
      'an error in the stream of an old vLLM',
      { events: [{ object: 'error', message: 'Oh', code: 500 }] },
      { kind: 'server_error' },
    ],
    [
      'a cut in the middle of a call',
      { events: [delta({ tool_calls: [callPiece(0, 'A', '{"x"', 'i')] })], end: 'cut' },
      { kind: 'stream_cut' },
    ],
    ['an end without an end', { events: [delta({ content: 'a' })], end: 'plain' }, { kind: 'stream_cut' }],
    ['nothing at all', { events: [], end: 'plain' }, { kind: 'stream_cut' }],
  ])('%s', async (_, answer, expected) => {
    const { error, events, requests } = await ask([answer])

    expect(error).toMatchObject(expected)
    expect(JSON.stringify([error?.message, String(error?.cause), error?.stack])).not.toContain(KEY)
    expect(error?.message).not.toContain('\n')
    expect(events.some(({ type }) => type === 'message-ended')).toBe(false)
    expect(requests).toHaveLength(1)
  })

  test('a server that is not there', async () => {
    const gone = await OpenAIServer.start()
    const { url } = gone
    await gone.stop()

    const { error } = await ask([], { baseUrl: url })

    expect(error).toMatchObject({ kind: 'network', message: expect.stringContaining('ECONNREFUSED') })
  })

  test('a server that falls silent, before and after its first byte', async () => {
    const silent = { events: [delta({ content: 'a' })], end: 'never' } as const
    const limits = (first: number, next: number) => ({ idleLimits: { first, next } })

    expect((await ask([silent], limits(60_000, 20))).error).toMatchObject({ kind: 'timed_out' })
    expect((await ask([{ events: [], end: 'never' }], limits(20, 60_000))).error).toMatchObject({ kind: 'timed_out' })
  })

  test('who stops it hears that it was stopped', async () => {
    const controller = new AbortController()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      setImmediate(() => controller.abort())
      return await globalThis.fetch(input, init)
    }
    const silent = { events: [delta({ content: 'a' })], end: 'never' } as const

    const { error } = await ask([silent], { fetch }, { signal: controller.signal })
    const before = await ask([], {}, { signal: controller.signal })

    expect([error?.kind, before.error?.kind, before.requests.length]).toEqual(['aborted', 'aborted', 0])
  })

  test('there is no key for OpenAI itself', async () => {
    const model = createOpenAIModel({ id: 'm' })

    expect((await ask([], {}, { model })).error).toMatchObject({
      kind: 'unauthorised',
      message: expect.stringContaining('OPENAI_API_KEY'),
    })
  })
})

describe('an endpoint that does not take all', () => {
  test('responses are not there: chats are, from then on', async () => {
    const model = modelOf({ api: 'responses' })
    const text = { events: [delta({ content: 'a' }, 'stop')] }

    const first = await ask([{ status: 404, body: 'Not found' }, text], {}, { model })
    const second = await ask([text], {}, { model })

    expect([...first.paths, ...second.paths]).toEqual(['/v1/responses', '/v1/chat/completions', '/v1/chat/completions'])
    expect(second.error).toBeUndefined()
  })

  test('the model is not there: that is no reason to ask elsewhere', async () => {
    const { error, paths } = await ask([{ status: 404, body: { error: { message: 'x', code: 'model_not_found' } } }], {
      api: 'responses',
    })

    expect([error?.kind, paths]).toEqual(['unknown_model', ['/v1/responses']])
  })

  test('what is refused is left out, from then on', async () => {
    const model = modelOf()
    const text = { events: [delta({ content: 'a' }, 'stop')] }
    const request: ModelRequest = { ...HELLO, maxOutputTokens: 5, thinking: { type: 'enabled', budgetTokens: 1 } }
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

  test('arguments that are no JSON go back as they came, or within JSON where the server reads them', async () => {
    const request: ModelRequest = {
      ...HELLO,
      messages: [
        ...HELLO.messages,
        { type: 'assistant', content: [{ type: 'tool_use', id: 'i', name: 'Read', input: '{"x":' }] },
        { type: 'user', content: [{ type: 'tool_result', tool_use_id: 'i', content: 'no', is_error: true }] },
      ],
    }
    const refusal = { status: 500, body: { error: { message: 'Failed to parse tool call arguments as JSON' } } }

    const { requests, error } = await ask([refusal, { events: [delta({}, 'stop')] }], {}, { request })

    expect(error).toBeUndefined()
    expect(requests.map(argumentsIn)).toEqual(['{"x":', '{"invalid_json":"{\\"x\\":"}'])
  })
})

function argumentsIn(body: Record<string, unknown>): unknown {
  const messages = body.messages as { tool_calls?: { function: { arguments: unknown } }[] }[]
  return messages.flatMap(({ tool_calls = [] }) => tool_calls)[0]?.function.arguments
}
