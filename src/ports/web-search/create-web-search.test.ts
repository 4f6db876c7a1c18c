import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebSearchSettings } from '../../contract/ports/web-search.js'
import { createHttpPort, type NodeHttpPort } from '../http/create-http-port.js'
import { createWebSearch } from './create-web-search.js'

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let server: Server
let http: NodeHttpPort
let base: string
let requests: ReceivedRequest[]
let answer: { readonly status: number; readonly body: unknown }

beforeEach(async () => {
  requests = []
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, headers } = request
    const url = new URL(request.url ?? '', base)
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(answer.status).end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  http = createHttpPort({ allowedPrivateHosts: ['127.0.0.1'] })
})

afterEach(async () => {
  await http.dispose()
  server.close()
})

const { signal } = new AbortController()
const QUERY = { query: 'bash "quoting"', allowedDomains: [], blockedDomains: [], maxResults: 10, signal }

function search(settings: Partial<WebSearchSettings>, query: object = {}) {
  return createWebSearch(http, { provider: 'searxng', url: base, ...settings }).search({ ...QUERY, ...query })
}

const ENTRY = { title: 'A title', url: 'https://example.com/a' }

describe('the request and the answer of', () => {
  test('SearXNG', async () => {
    answer = { status: 200, body: { results: [{ ...ENTRY, content: 'An excerpt' }] } }

    expect(await search({ provider: 'searxng' })).toEqual([{ ...ENTRY, snippet: 'An excerpt' }])
    expect(requests[0]?.url.pathname).toBe('/search')
    expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({ q: QUERY.query, format: 'json' })
  })

  test('Brave', async () => {
    const results = [{ ...ENTRY, description: 'An <strong>excerpt</strong>' }]
    answer = { status: 200, body: { web: { results } } }

    expect(await search({ provider: 'brave', apiKey: 'k' })).toEqual([{ ...ENTRY, snippet: 'An excerpt' }])
    expect(requests[0]?.url.pathname).toBe('/res/v1/web/search')
    expect(requests[0]?.headers['x-subscription-token']).toBe('k')
    expect(Object.fromEntries(requests[0]?.url.searchParams ?? [])).toEqual({ q: QUERY.query, count: '10' })
  })

  test('Tavily', async () => {
    answer = { status: 200, body: { results: [{ ...ENTRY, content: 'An excerpt', score: 0.9 }] } }

    expect(await search({ provider: 'tavily', apiKey: 'k' }, { blockedDomains: ['bad.test'] })).toEqual([
      { ...ENTRY, snippet: 'An excerpt' },
    ])
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer k' } })
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      query: QUERY.query,
      max_results: 10,
      include_domains: [],
      exclude_domains: ['bad.test'],
    })
  })

  test('Exa', async () => {
    answer = { status: 200, body: { results: [{ ...ENTRY, highlights: ['one', 'two'] }] } }

    expect(await search({ provider: 'exa', apiKey: 'k' }, { allowedDomains: ['example.com'] })).toEqual([
      { ...ENTRY, snippet: 'one … two' },
    ])
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'x-api-key': 'k' } })
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ numResults: 10, includeDomains: ['example.com'] })
  })
})

test('results of other domains are left out, whatever the service returns', async () => {
  const urls = ['https://example.com/', 'https://sub.example.com/', 'https://badexample.com/', 'https://other.test/']
  answer = { status: 200, body: { results: urls.map((url) => ({ title: 't', url, content: '' })) } }
  const find = async (query: object) => (await search({}, query)).map(({ url }) => url)

  expect(await find({ allowedDomains: ['example.com'] })).toEqual(urls.slice(0, 2))
  expect(await find({ blockedDomains: ['example.com'] })).toEqual(urls.slice(2))
  expect(await find({ maxResults: 1 })).toEqual(urls.slice(0, 1))
})

test('entries that are not web pages are left out', async () => {
  const entries = [null, 'text', { title: 't' }, { url: 'javascript:alert(1)' }, { url: 'https://' }, ENTRY]
  answer = { status: 200, body: { results: entries } }

  expect(await search({})).toEqual([{ ...ENTRY, snippet: '' }])
})

test.each<[Partial<WebSearchSettings>, number, unknown, string]>([
  [{}, 403, '', 'the key is missing or wrong, or the server does not offer JSON'],
  [{}, 429, '', 'the limit of requests is reached'],
  [{}, 200, '<html>', 'not valid JSON'],
  [{}, 200, {}, 'contains no list of results'],
  [{ url: undefined }, 200, {}, 'needs the url of the searxng server'],
  [{ provider: 'brave' }, 200, {}, 'web.search.apiKeyEnv'],
])('with %j, status %i and the answer %j, the error says: %s', async (settings, status, body, message) => {
  answer = { status, body }

  await expect(search(settings)).rejects.toThrow(message)
})
