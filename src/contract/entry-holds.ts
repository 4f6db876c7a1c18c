import { contentHash } from '../shared/content-hash.js'
import type { ReadFileEntry } from './read-file-state.js'

/** Whether what was read still stands where it was read; of a part, whatever changed after it counts for nothing. */
export function entryHolds(entry: ReadFileEntry, content: Uint8Array): boolean {
  const { bytes } = entry
  if (bytes === undefined) return contentHash(content) === entry.contentHash
  return bytes.end <= content.length && contentHash(content.subarray(bytes.start, bytes.end)) === entry.contentHash
}
