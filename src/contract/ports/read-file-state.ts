import { computeContentHash } from '../../shared/content-hash.js'

/** The state of a file when an agent last read or wrote it. */
export interface ReadFileEntry {
  /** The SHA-256 of `bytes`, or of the whole file if `bytes` is left out. */
  readonly contentHash: string
  /** Modification time of the last known state. If only a part was read, other parts may have changed since. */
  readonly mtimeMs: number
  /** The lines that were read; left out if the whole file was. */
  readonly range?: { readonly offset: number; readonly limit: number }
  /** The byte range of these lines, so that checking a part of a huge file does not read all of it. */
  readonly bytes?: { readonly start: number; readonly end: number }
  /** Identifies what Read has shown to which agent, so that it is not shown twice. Left out after a write. */
  readonly shown?: string
}

/**
 * Remembers which files were read, as an LRU cache. Paths are real paths, so that a link and its target are the same.
 */
export interface ReadFileState {
  get(path: string): ReadFileEntry | undefined
  set(path: string, entry: ReadFileEntry): void
  delete(path: string): void
  /** Lists the entries, the least recently used first. The entries are JSON and can be used to create a new state. */
  entries(): Iterable<readonly [path: string, entry: ReadFileEntry]>
  /** Returns a copy for a sub-agent, whose reads do not count as reads of its parent. */
  copy(): ReadFileState
}

/** Whether the content still matches the entry. For a part of a file, only that part is compared. */
export function isEntryCurrent(entry: ReadFileEntry, content: Uint8Array): boolean {
  const { bytes } = entry
  if (bytes === undefined) return computeContentHash(content) === entry.contentHash
  return (
    bytes.end <= content.length && computeContentHash(content.subarray(bytes.start, bytes.end)) === entry.contentHash
  )
}
