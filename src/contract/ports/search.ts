export interface SearchQuery {
  /** A regular expression, as ripgrep reads them. */
  readonly pattern: string
  /** A file or folder, absolute. */
  readonly path: string
  /** Paths in the result count from here where they lie below it. */
  readonly cwd: string
  readonly output: 'files' | 'content' | 'count'
  /** Only files that fit; `!` before it leaves them out. What is ignored stays so, whatever the glob says. */
  readonly glob?: string
  readonly type?: string
  readonly ignoreCase?: boolean
  readonly multiline?: boolean
  /** Lines around each match; for content. */
  readonly before?: number
  readonly after?: number
  /** For content; on unless given. */
  readonly lineNumbers?: boolean
  /** Lines (of content) or files to leave out at the start. */
  readonly offset?: number
  /** Lines or files at most; all where left out. */
  readonly limit?: number
  /** Told the absolute path of a file in which something was found; true leaves it out, as if it were not there. */
  readonly isHidden?: (path: string) => boolean
}

export interface SearchResult {
  /** One entry a line, without a newline at the end: `path`, `path:count` or `path:line:text` (`path-line-text` around a match). */
  readonly text: string
  /** Entries in `text`, separators between groups not counted. */
  readonly entries: number
  /** Entries left out behind them; `unknown` where the search was stopped, since enough had been found. */
  readonly more: number | 'unknown'
  /** Files and folders that were given up, in which there may be more; left out where there are none. */
  readonly unsearched?: readonly UnsearchedFile[]
}

export interface UnsearchedFile {
  readonly path: string
  /** Without a full stop. */
  readonly reason: string
}

/** A query that cannot be searched for; the message says what is wrong with it, for the model. */
export class SearchError extends Error {
  override readonly name = 'SearchError'
}

/** Searches the content of files. Files: newest first. */
export interface SearchPort {
  search(query: SearchQuery, options?: { readonly signal?: AbortSignal }): Promise<SearchResult>
}
