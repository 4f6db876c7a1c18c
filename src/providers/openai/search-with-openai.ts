import type { ModelUsage } from '../../contract/model/model.js'
import { ModelError } from '../../contract/model/model-error.js'
import type { WebSearchQuery, WebSearchResult } from '../../contract/ports/web-search.js'
import { cutText } from '../../shared/cut-text.js'
import type { ChosenModel } from '../choose-model.js'
import { httpFetch } from '../http/http-fetch.js'
import { createOpenAIClient, listSecrets } from './create-openai-model.js'
import { toModelError } from './openai-error.js'
import { readUsage } from './stream-parts.js'

const TIMEOUT_MS = 60_000
const MAX_OUTPUT_TOKENS = 2_000
/** The text before a citation is its excerpt. */
const MAX_EXCERPT_CHARS = 400
const INSTRUCTIONS = 'Search the web for the query as it is. Then state in one cited sentence what each result says.'

/** Searches with the web search of OpenAI's Responses API, or with a search model of its Chat Completions API. */
export async function searchWithOpenAI(
  model: ChosenModel,
  query: WebSearchQuery,
  onUsage: (usage: ModelUsage) => void,
): Promise<readonly WebSearchResult[]> {
  const { api = model.baseUrl === undefined ? 'responses' : 'chat' } = model
  try {
    return await (api === 'chat' ? searchByChat(model, query, onUsage) : searchByResponse(model, query, onUsage))
  } catch (error) {
    const isAborted = query.signal.aborted
    const { baseUrl } = model
    const origin = baseUrl === undefined ? 'OpenAI' : new URL(baseUrl).origin
    throw toModelError(error, { origin, secrets: listSecrets(model), isAborted, isIdle: false, hasStarted: false })
  }
}

async function searchByResponse(
  model: ChosenModel,
  { query, allowedDomains, signal }: WebSearchQuery,
  onUsage: (usage: ModelUsage) => void,
) {
  const client = await createOpenAIClient(model, { fetch: httpFetch, timeoutMs: TIMEOUT_MS })
  const { output, usage } = await client.responses.create(
    {
      ...{ model: model.id, instructions: INSTRUCTIONS, input: query, max_output_tokens: MAX_OUTPUT_TOKENS },
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          ...(allowedDomains.length > 0 && { filters: { allowed_domains: [...allowedDomains] } }),
        },
      ],
      ...{ tool_choice: 'required', include: ['web_search_call.action.sources'], store: false },
    },
    { signal },
  )
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  const citations = parts.flatMap((part) =>
    part.type === 'output_text'
      ? part.annotations.flatMap((note) => (note.type === 'url_citation' ? [toResult(note, part.text)] : []))
      : [],
  )
  const searches = output.flatMap((item) =>
    item.type === 'web_search_call' && item.action?.type === 'search' ? [item.action] : [],
  )
  const sources = searches.flatMap((search) => search.sources ?? [])
  // Opening a page is free.
  onUsage({ ...readUsage(usage), webSearches: searches.length })
  if (!output.some(({ type }) => type === 'web_search_call')) throw new ModelError('invalid_request', NO_SEARCH)
  return joinResults([...citations, ...sources.map(({ url }) => ({ title: '', url, snippet: '' }))])
}

async function searchByChat(
  model: ChosenModel,
  { query, signal }: WebSearchQuery,
  onUsage: (usage: ModelUsage) => void,
) {
  const client = await createOpenAIClient(model, { fetch: httpFetch, timeoutMs: TIMEOUT_MS })
  const { choices, usage } = await client.chat.completions.create(
    {
      ...{
        model: model.id,
        max_completion_tokens: MAX_OUTPUT_TOKENS,
        web_search_options: { search_context_size: 'low' },
      },
      messages: [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: query },
      ],
    },
    { signal },
  )
  const { annotations, content } = choices[0]?.message ?? {}
  // Servers without web search ignore the option, and their answer has no annotations.
  onUsage({ ...readUsage(usage), ...(annotations !== undefined && { webSearches: 1 }) })
  if (annotations === undefined) throw new ModelError('invalid_request', NO_SEARCH)
  return joinResults(annotations.map(({ url_citation: note }) => toResult(note, content ?? '')))
}

const NO_SEARCH = 'the model did not search. Name a model that can search in the setting web.search.model.'

interface Citation {
  readonly title: string
  readonly url: string
  readonly start_index: number
}

function toResult({ title, url, start_index: start }: Citation, text: string): WebSearchResult {
  const sentence = text.slice(0, start).split('\n').at(-1) ?? ''
  return { title, url: withoutMarker(url), snippet: cutText(sentence.trim(), MAX_EXCERPT_CHARS) }
}

/** Removes the marker that OpenAI adds to the links of its answers. */
function withoutMarker(url: string): string {
  return url.replace(/([?&])utm_source=openai(?=&|$)&?/, '$1').replace(/[?&]$/, '')
}

/** Returns one result for each page: the first with a title, with the excerpts of all. */
function joinResults(results: readonly WebSearchResult[]): readonly WebSearchResult[] {
  const byUrl = new Map<string, WebSearchResult>()
  for (const result of results) {
    const { title, snippet } = byUrl.get(result.url) ?? { title: '', snippet: '' }
    const snippets = [snippet, result.snippet].filter((text) => text !== '')
    byUrl.set(result.url, { ...result, title: title || result.title || result.url, snippet: snippets.join(' … ') })
  }
  return [...byUrl.values()]
}
