/** What an agent knows of a file it has read or written. */
export interface ReadFileEntry {
  readonly contentHash: string
  readonly mtimeMs: number
  /** Left out where the whole file was read. */
  readonly range?: { readonly offset: number; readonly limit: number }
}

/** Remembers what was read, least recently used first to go. */
export interface ReadFileState {
  get(path: string): ReadFileEntry | undefined
  set(path: string, entry: ReadFileEntry): void
  delete(path: string): void
  entries(): Iterable<readonly [path: string, entry: ReadFileEntry]>
}
