import type { ReadFileEntry, ReadFileState } from '../../../contract/ports/read-file-state.js'

/** Far more files than a conversation reads. */
const MAX_ENTRIES = 1_000

export interface ReadFileStateOptions {
  /** The `entries` of another state, to resume a session. */
  readonly entries?: Iterable<readonly [path: string, entry: ReadFileEntry]>
  readonly maxEntries?: number
}

/**
 * Creates a record of the files that were read. The first entry of the map is the least recently used one, because maps keep
 * their order.
 */
export function createReadFileState({
  entries = [],
  maxEntries = MAX_ENTRIES,
}: ReadFileStateOptions = {}): ReadFileState {
  const entryByPath = new Map<string, ReadFileEntry>()
  const set = (path: string, entry: ReadFileEntry) => {
    entryByPath.delete(path)
    entryByPath.set(path, entry)
    const [oldest] = entryByPath.keys()
    if (entryByPath.size > maxEntries && oldest !== undefined) entryByPath.delete(oldest)
  }
  for (const [path, entry] of entries) set(path, entry)
  return {
    get(path) {
      const entry = entryByPath.get(path)
      if (entry !== undefined) set(path, entry)
      return entry
    },
    set,
    delete(path) {
      entryByPath.delete(path)
    },
    entries: () => [...entryByPath],
    copy: () => createReadFileState({ entries: entryByPath, maxEntries }),
  }
}
