/** A search on the web. */
export interface WebSearchQuery {
  readonly query: string
  /** Only results of these domains and their subdomains. */
  readonly allowedDomains: readonly string[]
  /** No results of these domains and their subdomains. */
  readonly blockedDomains: readonly string[]
  readonly maxResults: number
  readonly signal: AbortSignal
}

/** One result of a web search. */
export interface WebSearchResult {
  readonly title: string
  readonly url: string
  /** An excerpt or a description; may be empty. */
  readonly snippet: string
}

/** Searches the web with the provider that the user configured. */
export interface WebSearchPort {
  search(query: WebSearchQuery): Promise<readonly WebSearchResult[]>
}

/** The services that can search the web. With `model` in the settings, the provider of a model searches instead. */
export const WEB_SEARCH_PROVIDERS = ['searxng', 'brave', 'tavily', 'exa'] as const

/** Which service searches the web, and how to reach it. */
export interface WebSearchSettings {
  readonly provider: (typeof WEB_SEARCH_PROVIDERS)[number]
  /** The URL of the service, if it is not the public one. Required for SearXNG. */
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
}
