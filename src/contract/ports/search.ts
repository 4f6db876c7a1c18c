export interface SearchQuery {
  readonly pattern: string
  readonly folder: string
  readonly glob?: string
  readonly type?: string
  readonly ignoreCase?: boolean
  readonly multiline?: boolean
  readonly before?: number
  readonly after?: number
}

export interface SearchMatch {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly isContext?: boolean
}

/** Searches the content of files. */
export interface SearchPort {
  search(query: SearchQuery, options?: { readonly signal?: AbortSignal }): AsyncIterable<SearchMatch>
}
