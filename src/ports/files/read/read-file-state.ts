import type { ReadFileEntry, ReadFileState } from '../../../contract/ports/read-file-state.js'

/** Far more files than a conversation uses. */
const MAX_ENTRIES = 1_000

export interface ReadFileStateOptions {
  /** The `entries` of another state, for a resumed session. */
  readonly entries?: Iterable<readonly [path: string, entry: ReadFileEntry]>
  readonly maxEntries?: number
}

/** The files that were read. A map keeps its order, so the least recently used entry is the first. */
export function createReadFileState({
  entries = [],
  maxEntries = MAX_ENTRIES,
}: ReadFileStateOptions = {}): ReadFileState {
  const known = new Map<string, ReadFileEntry>()
  const set = (path: string, entry: ReadFileEntry) => {
    known.delete(path)
    known.set(path, entry)
    const [oldest] = known.keys()
    if (known.size > maxEntries && oldest !== undefined) known.delete(oldest)
  }
  for (const [path, entry] of entries) set(path, entry)
  return {
    get(path) {
      const entry = known.get(path)
      if (entry !== undefined) set(path, entry)
      return entry
    },
    set,
    delete(path) {
      known.delete(path)
    },
    entries: () => [...known],
    copy: () => createReadFileState({ entries: known, maxEntries }),
  }
}
