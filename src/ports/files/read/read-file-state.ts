import type { ReadFileEntry, ReadFileState } from '../../../contract/ports/read-file-state.js'

/** Far more files than a conversation is about. */
const MAX_ENTRIES = 1_000

export interface ReadFileStateOptions {
  /** What another state gave by `entries`: of a session that is resumed. */
  readonly entries?: Iterable<readonly [path: string, entry: ReadFileEntry]>
  readonly maxEntries?: number
}

/** What was read, in memory. A map keeps its order, so that the least recently used is the first. */
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
