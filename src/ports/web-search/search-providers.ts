import { HttpError, type HttpPort, type HttpRequest } from '../../contract/ports/http.js'
import type { WebSearchQuery, WebSearchResult, WebSearchSettings } from '../../contract/ports/web-search.js'
import { isRecord } from '../../shared/is-record.js'

/** How one service is queried, and how its answer is parsed. */
interface SearchProvider {
  readonly defaultUrl?: string
  readonly needsKey: boolean
  createRequest(query: WebSearchQuery, settings: { readonly url: string; readonly key: string }): SearchRequest
  /** Returns the list of results in the answer. `readResult` parses each of them. */
  listResults(answer: unknown): unknown
  readResult(result: Readonly<Record<string, unknown>>): WebSearchResult
}

interface SearchRequest extends Pick<HttpRequest, 'method' | 'headers' | 'body'> {
  readonly url: string
}

const MAX_ANSWER_BYTES = 4 * 1024 ** 2
const JSON_HEADERS = { accept: 'application/json', 'content-type': 'application/json' }

const SEARCH_PROVIDERS: Readonly<Record<WebSearchSettings['provider'], SearchProvider>> = {
  searxng: {
    needsKey: false,
    createRequest: ({ query, allowedDomains }, { url }) => ({
      url: withParameters(`${url}/search`, { q: withSites(query, allowedDomains), format: 'json' }),
      headers: { accept: 'application/json' },
    }),
    listResults: (answer) => memberOf(answer, 'results'),
    readResult: ({ title, url, content }) => ({ title: textOf(title), url: textOf(url), snippet: textOf(content) }),
  },
  brave: {
    defaultUrl: 'https://api.search.brave.com',
    needsKey: true,
    createRequest: ({ query, allowedDomains, maxResults }, { url, key }) => ({
      url: withParameters(`${url}/res/v1/web/search`, {
        q: withSites(query, allowedDomains),
        count: String(Math.min(maxResults, 20)),
      }),
      headers: { accept: 'application/json', 'x-subscription-token': key },
    }),
    listResults: (answer) => memberOf(memberOf(answer, 'web'), 'results'),
    readResult: ({ title, url, description }) => ({
      title: withoutMarks(textOf(title)),
      url: textOf(url),
      snippet: withoutMarks(textOf(description)),
    }),
  },
  tavily: {
    defaultUrl: 'https://api.tavily.com',
    needsKey: true,
    createRequest: ({ query, allowedDomains, blockedDomains, maxResults }, { url, key }) => ({
      url: `${url}/search`,
      method: 'POST',
      headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
      body: JSON.stringify({
        ...{ query, max_results: Math.min(maxResults, 20) },
        ...{ include_domains: allowedDomains, exclude_domains: blockedDomains },
      }),
    }),
    listResults: (answer) => memberOf(answer, 'results'),
    readResult: ({ title, url, content }) => ({ title: textOf(title), url: textOf(url), snippet: textOf(content) }),
  },
  exa: {
    defaultUrl: 'https://api.exa.ai',
    needsKey: true,
    createRequest: ({ query, allowedDomains, blockedDomains, maxResults }, { url, key }) => ({
      url: `${url}/search`,
      method: 'POST',
      headers: { ...JSON_HEADERS, 'x-api-key': key },
      body: JSON.stringify({
        ...{ query, numResults: maxResults, contents: { highlights: true } },
        ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
        ...(blockedDomains.length > 0 && { excludeDomains: blockedDomains }),
      }),
    }),
    listResults: (answer) => memberOf(answer, 'results'),
    readResult: ({ title, url, highlights }) => ({
      title: textOf(title),
      url: textOf(url),
      snippet: Array.isArray(highlights) ? highlights.map(textOf).join(' … ') : '',
    }),
  },
}

/** Sends a query to the configured service. Entries without a web URL are left out. */
export async function searchWith(
  http: HttpPort,
  { provider, url: givenUrl, apiKey }: WebSearchSettings,
  query: WebSearchQuery,
): Promise<readonly WebSearchResult[]> {
  const { defaultUrl, needsKey, createRequest, listResults, readResult } = SEARCH_PROVIDERS[provider]
  const base = (givenUrl ?? defaultUrl)?.replace(/\/+$/, '')
  if (base === undefined)
    throw new HttpError('failed', `The setting web.search needs the url of the ${provider} server.`)
  if (needsKey && apiKey === undefined)
    throw new HttpError(
      'failed',
      `${provider} needs a key: name its environment variable in the setting web.search.apiKeyEnv, and set the variable.`,
    )
  const { url, ...request } = createRequest(query, { url: base, key: apiKey ?? '' })
  const response = await http.fetch(url, { ...request, maxBytes: MAX_ANSWER_BYTES, signal: query.signal })
  const text = new TextDecoder().decode(response.body)
  if (response.status !== 200)
    throw new HttpError(
      'failed',
      `${provider} answered with status ${response.status}${describeProblem(response.status)}.`,
    )
  const results = listResults(parseJson(text, provider))
  if (!Array.isArray(results)) throw new HttpError('failed', `The answer of ${provider} contains no list of results.`)
  return results
    .filter(isRecord)
    .map(readResult)
    .filter(({ url }) => /^https?:/i.test(url) && URL.canParse(url))
}

function describeProblem(status: number): string {
  if (status === 401 || status === 403) return ': the key is missing or wrong, or the server does not offer JSON'
  if (status === 429) return ': the limit of requests is reached; try again later'
  return ''
}

function parseJson(text: string, provider: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new HttpError('failed', `The answer of ${provider} is not valid JSON.`, { cause })
  }
}

function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  return `${url}?${new URLSearchParams(parameters)}`
}

/** Restricts a query to domains, for services that have no option for it. */
function withSites(query: string, domains: readonly string[]): string {
  return domains.length === 0 ? query : `${query} (${domains.map((domain) => `site:${domain}`).join(' OR ')})`
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Removes `<strong>`, with which Brave marks the words of the query. */
function withoutMarks(text: string): string {
  return text.replace(/<\/?strong>/g, '')
}
