import { contentHash } from '../../shared/content-hash.js'

/** What an agent knows of a file it has read or written. */
export interface ReadFileEntry {
  /** The SHA-256 of `bytes`, or of the whole file where these are left out. */
  readonly contentHash: string
  /** Of the last state in which no change was missed: where a part is known, the rest may have changed since. */
  readonly mtimeMs: number
  /** The lines that were read; left out where the whole file was. */
  readonly range?: { readonly offset: number; readonly limit: number }
  /** The bytes of these lines: hashing a huge file whole would cost what stands after them. */
  readonly bytes?: { readonly start: number; readonly end: number }
  /** What Read showed of it, and to which agent: the same is not shown twice. Left out by all who only wrote. */
  readonly shown?: string
}

/** Remembers what was read, least recently used first to go. Paths are real paths, so that a link and its target are one. */
export interface ReadFileState {
  get(path: string): ReadFileEntry | undefined
  set(path: string, entry: ReadFileEntry): void
  delete(path: string): void
  /** Least recently used first; JSON, and what a new state can be made of. */
  entries(): Iterable<readonly [path: string, entry: ReadFileEntry]>
  /** For a sub-agent: what it reads does not count for the one who sent it. */
  copy(): ReadFileState
}

/** Whether what was read still stands where it was read; of a part, whatever changed after it counts for nothing. */
export function entryHolds(entry: ReadFileEntry, content: Uint8Array): boolean {
  const { bytes } = entry
  if (bytes === undefined) return contentHash(content) === entry.contentHash
  return bytes.end <= content.length && contentHash(content.subarray(bytes.start, bytes.end)) === entry.contentHash
}
