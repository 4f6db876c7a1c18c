import type { ModelUsage } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { WebSearchQuery, WebSearchResult } from '../../contract/ports/web-search.js'
import { isRecord } from '../../shared/is-record.js'
import type { ChosenModel } from '../choose-model.js'
import { httpFetch } from '../http/http-fetch.js'
import { toModelError } from './anthropic-error.js'
import { readUsage } from './anthropic-event-reader.js'
import { listSecrets } from './create-anthropic-model.js'

const MAX_OUTPUT_TOKENS = 2_000
const TIMEOUT_MS = 60_000

/** Searches with the server tool of Anthropic's Messages API, in a request of its own. */
export async function searchWithAnthropic(
  model: ChosenModel,
  { query, allowedDomains, blockedDomains, signal }: WebSearchQuery,
  onUsage: (usage: ModelUsage) => void,
): Promise<readonly WebSearchResult[]> {
  const tool = {
    ...{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
    ...(allowedDomains.length > 0 && { allowed_domains: allowedDomains }),
    ...(blockedDomains.length > 0 && { blocked_domains: blockedDomains }),
  }
  const body = {
    ...{ model: model.id, max_tokens: MAX_OUTPUT_TOKENS, tools: [tool] },
    system: 'Call web_search once with the query as it is. Then state in one cited sentence what each result says.',
    messages: [{ role: 'user', content: query }],
  }
  try {
    const { openAnthropicClient } = await import('./anthropic-client.js')
    const client = openAnthropicClient({ ...model, fetch: httpFetch, timeoutMs: TIMEOUT_MS })
    const answer = await client.post(body, signal)
    onUsage(readUsage(isRecord(answer) ? answer.usage : undefined))
    return readResults(answer)
  } catch (error) {
    throw toModelError(error, { signal, secrets: listSecrets(model) })
  }
}

/** Returns the results, with the passages that the answer cites as their excerpts. */
function readResults(answer: unknown): readonly WebSearchResult[] {
  const blocks = listRecords(isRecord(answer) ? answer.content : undefined)
  const searches = blocks.filter(({ type }) => type === 'web_search_tool_result')
  const results = searches.flatMap(({ content }) => listRecords(content))
  const [failure] = searches.flatMap(({ content }) => (isRecord(content) ? [String(content.error_code)] : []))
  if (results.length === 0 && failure !== undefined)
    throw new ModelError('server_error', `the web search of the provider failed: ${failure}.`)
  if (searches.length === 0)
    throw new ModelError(
      'invalid_request',
      'the model did not search. Name a model that can search in the setting web.search.model.',
    )
  const citations = blocks.flatMap(({ citations: list }) => listRecords(list))
  return results.map(({ title, url }) => ({
    ...{ title: textOf(title), url: textOf(url) },
    snippet: citations
      .filter((citation) => citation.url === url)
      .map(({ cited_text: text }) => textOf(text))
      .join(' … '),
  }))
}

function listRecords(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
