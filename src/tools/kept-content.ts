import { entryHolds } from '../contract/entry-holds.js'
import type { ReadFileEntry } from '../contract/read-file-state.js'
import { type FileContent, isContent, lengthOf } from '../shared/file-content.js'

const MAX_KEPT_BYTES = 32 * 1024 ** 2

/** What was written last, since it is what is changed next: comparing is ten times faster than hashing. */
const kept = new Map<ReadFileEntry, FileContent>()
let keptBytes = 0

/** Keeps what a file holds from now on, in place of what it held. Nobody may change the content afterwards. */
export function keepContent(entry: ReadFileEntry, content: FileContent, before: ReadFileEntry | undefined): void {
  if (before !== undefined) drop(before)
  // Of a file known in part, the rest may change.
  if (entry.bytes !== undefined) return
  kept.set(entry, content)
  keptBytes += lengthOf(content)
  for (const oldest of kept.keys()) {
    if (keptBytes <= MAX_KEPT_BYTES) break
    drop(oldest)
  }
}

function drop(entry: ReadFileEntry): void {
  keptBytes -= lengthOf(kept.get(entry) ?? [])
  kept.delete(entry)
}

/** Whether what an agent knows of a file still holds, told by the content itself where that is at hand. */
export function stillHolds(entry: ReadFileEntry, content: Uint8Array): boolean {
  const known = kept.get(entry)
  return known === undefined ? entryHolds(entry, content) : isContent(content, known)
}
