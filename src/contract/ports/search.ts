/** A search in the content of files. */
export interface SearchQuery {
  /** A regular expression in the syntax of ripgrep. */
  readonly pattern: string
  /** A file or folder, absolute. */
  readonly path: string
  /** The path that permission was decided for. If `path` now leads elsewhere, the search fails. */
  readonly realPath?: string
  /** Paths below this folder are relative to it in the result. */
  readonly cwd: string
  readonly output: 'files' | 'content' | 'count'
  /** Searches only files that match it; with a leading `!`, only files that do not. Ignored files are never searched. */
  readonly glob?: string
  readonly type?: string
  readonly ignoreCase?: boolean
  readonly multiline?: boolean
  /** Context lines around each match, for `content`. */
  readonly before?: number
  readonly after?: number
  /** Whether lines are numbered, for `content`. True by default. */
  readonly lineNumbers?: boolean
  /** Number of lines (for `content`) or files to skip. */
  readonly offset?: number
  /** Maximum number of lines or files; unlimited if left out. */
  readonly limit?: number
  /** Called with the absolute path of each file with a match; returns true to omit it. */
  readonly isHidden?: (path: string) => boolean
}

/** The entries that a search found, after `offset` and `limit` were applied. */
export interface SearchResult {
  /** One entry per line, without a final newline: `path`, `path:count` or `path:line:text` (`path-line-text` for context). */
  readonly text: string
  /** Number of entries in `text`, without separators between groups. */
  readonly entries: number
  /** Number of further entries; `unknown` if the search stopped at the limit. */
  readonly more: number | 'unknown'
  /** The path in every entry, if one file was searched. */
  readonly file?: string
  /** Files and folders that could not be searched; left out if there are none. */
  readonly unsearched?: readonly UnsearchedFile[]
}

/** A file or folder that could not be searched. */
export interface UnsearchedFile {
  readonly path: string
  /** Without a full stop. */
  readonly reason: string
}

/** The query is invalid. The message explains the problem to the model. */
export class SearchError extends Error {
  override readonly name = 'SearchError'
}

/** How a search can be ended early. */
export interface SearchOptions {
  /** Ends the search with an error. */
  readonly signal?: AbortSignal
  /** Ends the search with the matches found until then. */
  readonly stopSignal?: AbortSignal
}

/** Searches the content of files. Files are listed newest first. */
export interface SearchPort {
  search(query: SearchQuery, options?: SearchOptions): Promise<SearchResult>
}
