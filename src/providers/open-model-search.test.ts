import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { costOf } from '../contract/model/model.js'
import { withDomainCheck } from '../ports/web-search/create-web-search.js'
import { type ModelSearchOptions, openModelSearch } from './open-model-search.js'

interface ReceivedRequest {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

let server: Server
let base: string
let requests: ReceivedRequest[]
let answer: { readonly status: number; readonly body: unknown }

beforeEach(async () => {
  requests = []
  costs = []
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    requests.push({ path: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => void server.close())

const KEY = 'sk-secret-123456'

let costs: (number | undefined)[]

function search(type: 'anthropic' | 'openai', query: object = {}, api?: 'chat' | 'responses') {
  const provider = { type, baseUrl: type === 'openai' ? `${base}/v1` : base, apiKey: KEY, ...(api && { api }) }
  const { signal } = new AbortController()
  const settings = { providers: { mine: provider }, models: { searcher: { prices: { input: 2, output: 10 } } } }
  const onUsage: ModelSearchOptions['onUsage'] = (usage, { facts }) => costs.push(costOf(usage, facts.prices))
  return openModelSearch({ name: 'mine/searcher', settings, env: {}, onUsage }).search({
    ...{ query: 'bash quoting', allowedDomains: [], blockedDomains: [], maxResults: 10, signal },
    ...query,
  })
}

/** An answer of the Messages API with a search and a cited text, as documented. */
function createAnthropicAnswer(searchContent: unknown) {
  const citation = {
    ...{ type: 'web_search_result_location', url: 'https://a.test/', title: 'A', encrypted_index: 'x' },
    cited_text: 'Quote every variable.',
  }
  return {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'searcher', stop_reason: 'end_turn' },
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'bash quoting' } },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: searchContent },
      { type: 'text', text: 'Quote them.', citations: [citation] },
    ],
    usage: { input_tokens: 100, output_tokens: 20, server_tool_use: { web_search_requests: 1 } },
  }
}

const FOUND = [
  { type: 'web_search_result', url: 'https://a.test/', title: 'A', encrypted_content: 'x', page_age: null },
  { type: 'web_search_result', url: 'https://b.test/', title: 'B', encrypted_content: 'x', page_age: '1 May 2026' },
]

describe('the server tool of Anthropic', () => {
  test('searches in one request, and its citations are the excerpts', async () => {
    answer = { status: 200, body: createAnthropicAnswer(FOUND) }

    expect(await search('anthropic', { blockedDomains: ['bad.test'] })).toEqual([
      { title: 'A', url: 'https://a.test/', snippet: 'Quote every variable.' },
      { title: 'B', url: 'https://b.test/', snippet: '' },
    ])
    expect(requests).toMatchObject([
      {
        path: '/v1/messages',
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          model: 'searcher',
          messages: [{ role: 'user', content: 'bash quoting' }],
          tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1, blocked_domains: ['bad.test'] }],
        },
      },
    ])
  })

  test('reports an error of the search', async () => {
    answer = {
      status: 200,
      body: createAnthropicAnswer({ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }),
    }

    await expect(search('anthropic')).rejects.toThrow('max_uses_exceeded')
  })

  test('reports the tokens and the number of searches, also if there are no results', async () => {
    answer = { status: 200, body: createAnthropicAnswer(FOUND) }
    await search('anthropic')
    answer = { status: 200, body: { ...createAnthropicAnswer(FOUND), content: [] } }
    await expect(search('anthropic')).rejects.toThrow('did not search')

    // 100 tokens of input, 20 of output, one search.
    expect(costs).toEqual([0.0104, 0.0104])
  })
})

/** An answer of the Responses API with a search and a cited text, as documented. */
function createResponse(output: readonly unknown[]) {
  return { id: 'resp_1', object: 'response', status: 'completed', model: 'searcher', output }
}

const SENTENCE = 'Quote every variable. '
const CITATION = { title: 'A', url: 'https://a.test/?utm_source=openai', start_index: SENTENCE.length, end_index: 40 }
const SEARCH_CALL = {
  ...{ id: 'ws_1', type: 'web_search_call', status: 'completed' },
  action: {
    ...{ type: 'search', query: 'bash quoting' },
    sources: [
      { type: 'url', url: 'https://a.test/' },
      { type: 'url', url: 'https://b.test/' },
    ],
  },
}
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
  content: [
    { type: 'output_text', text: `${SENTENCE}([a.test](…))`, annotations: [{ type: 'url_citation', ...CITATION }] },
  ],
}

describe('the web search of OpenAI', () => {
  test('searches with the Responses API; citations come before other sources', async () => {
    answer = { status: 200, body: createResponse([SEARCH_CALL, MESSAGE]) }

    expect(await search('openai', { allowedDomains: ['a.test'] }, 'responses')).toEqual([
      { title: 'A', url: 'https://a.test/', snippet: 'Quote every variable.' },
      { title: 'https://b.test/', url: 'https://b.test/', snippet: '' },
    ])
    expect(requests).toMatchObject([
      {
        path: '/v1/responses',
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          ...{ model: 'searcher', input: 'bash quoting', tool_choice: 'required', store: false },
          tools: [{ type: 'web_search', filters: { allowed_domains: ['a.test'] } }],
        },
      },
    ])
  })

  test('reports the tokens and the number of searches', async () => {
    const openedPage = { ...SEARCH_CALL, action: { type: 'open_page', url: 'https://a.test/' } }
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
    answer = { status: 200, body: { ...createResponse([SEARCH_CALL, SEARCH_CALL, openedPage, MESSAGE]), usage } }
    await search('openai', {}, 'responses')
    const message = { role: 'assistant', content: '', annotations: [] }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    answer = { status: 200, body: { choices, usage: { prompt_tokens: 100, completion_tokens: 20 } } }
    await search('openai', {}, 'chat')

    expect(costs).toEqual([0.0204, 0.0104])
  })

  test('searches with a search model of the Chat Completions API', async () => {
    const message = {
      ...{ role: 'assistant', content: `${SENTENCE}([a.test](…))`, refusal: null },
      annotations: [{ type: 'url_citation', url_citation: CITATION }],
    }
    const choices = [{ index: 0, finish_reason: 'stop', message }]
    answer = { status: 200, body: { id: 'c', object: 'chat.completion', created: 1, model: 'searcher', choices } }

    expect(await search('openai', {}, 'chat')).toEqual([
      { title: 'A', url: 'https://a.test/', snippet: 'Quote every variable.' },
    ])
    expect(requests).toMatchObject([{ path: '/v1/chat/completions', body: { web_search_options: {} } }])
  })
})

test.each<['anthropic' | 'openai', 'chat' | 'responses' | undefined, unknown]>([
  ['anthropic', undefined, { id: 'm', type: 'message', content: [{ type: 'text', text: 'I know it.' }] }],
  ['openai', 'responses', createResponse([MESSAGE])],
  ['openai', 'chat', { choices: [{ index: 0, message: { role: 'assistant', content: 'I know it.' } }] }],
])('with %s %s, an answer without a search is an error that says what to set', async (type, api, body) => {
  answer = { status: 200, body }

  await expect(search(type, {}, api)).rejects.toThrow('web.search.model')
})

test.each(['anthropic', 'openai'] as const)('a refused request to %s is an error without the key', async (type) => {
  answer = { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: `invalid ${KEY}` } } }

  const failure = await search(type).catch((error: Error) => error)

  expect(failure).toMatchObject({ name: 'HttpError', message: expect.stringContaining('401') })
  expect(String(failure)).not.toContain(KEY)
})

test('a search can be cancelled', async () => {
  answer = { status: 200, body: createAnthropicAnswer(FOUND) }
  const controller = new AbortController()
  controller.abort()

  await expect(search('anthropic', { signal: controller.signal })).rejects.toThrow('aborted')
  expect(requests).toEqual([])
})

test('results of other domains are left out, whatever the provider returns', async () => {
  answer = { status: 200, body: createAnthropicAnswer(FOUND) }
  const port = withDomainCheck({ search: (query) => search('anthropic', query) })
  const { signal } = new AbortController()

  const results = await port.search({
    ...{ query: 'x y', allowedDomains: ['b.test'], blockedDomains: [], maxResults: 10, signal },
  })

  expect(results.map(({ url }) => url)).toEqual(['https://b.test/'])
})

test('without a model, the error says what to set', async () => {
  const { signal } = new AbortController()
  const query = { query: 'x y', allowedDomains: [], blockedDomains: [], maxResults: 10, signal }

  await expect(openModelSearch({ settings: {}, env: {} }).search(query)).rejects.toThrow('ANTHROPIC_API_KEY')
})
