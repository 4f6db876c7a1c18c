import type { WrittenFile } from '../contract/ports/files.js'
import type { ReadFileEntry } from '../contract/ports/read-file-state.js'
import { contentHash } from '../shared/content-hash.js'
import { type FileContent, lengthOf, sliceOf } from '../shared/file-content.js'
import { growSame } from '../shared/grow-same.js'

/** A file as it stood before a change, and what the agent knew of it. */
export interface FormerFile {
  readonly entry: ReadFileEntry
  readonly content: Uint8Array
  readonly mtimeMs: number
}

/** What is known of a file after the agent changed a part of it: of one known in part, that part and the change. */
export function knownAfter(former: FormerFile, written: WrittenFile, content: FileContent): ReadFileEntry {
  const { entry } = former
  if (entry.bytes === undefined) return { contentHash: contentHash(content), mtimeMs: written.mtimeMs }
  const bytes = partAfter(entry.bytes, former.content, content)
  return {
    contentHash: contentHash(sliceOf(content, bytes.start, bytes.end)),
    // What somebody else changed outside the part is still there, and still unseen.
    mtimeMs: entry.mtimeMs === former.mtimeMs ? written.mtimeMs : entry.mtimeMs,
    ...(entry.range !== undefined && { range: entry.range }),
    bytes,
  }
}

type Part = NonNullable<ReadFileEntry['bytes']>

/** Where the part stands after the change; a change that touches it belongs to it. */
function partAfter({ start, end }: Part, before: Uint8Array, after: FileContent): Part {
  const moved = lengthOf(after) - before.length
  const shorter = before.length + Math.min(0, moved)
  const isSame = (from: number, to: number, shift: number) =>
    Buffer.compare(before.subarray(from, to), sliceOf(after, from + shift, to + shift)) === 0
  const samePrefix = growSame(shorter, (from, to) => isSame(from, to, 0))
  const sameSuffix = growSame(shorter - samePrefix, (from, to) =>
    isSame(before.length - to, before.length - from, moved),
  )
  const changeEnd = before.length - sameSuffix
  if (end < samePrefix) return { start, end }
  if (start > changeEnd) return { start: start + moved, end: end + moved }
  return { start: Math.min(start, samePrefix), end: Math.max(end, changeEnd) + moved }
}
