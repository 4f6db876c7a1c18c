import type { WrittenFile } from '../contract/ports/files.js'
import type { ReadFileEntry } from '../contract/read-file-state.js'
import { contentHash } from '../shared/content-hash.js'
import { type FileContent, wholeOf } from '../shared/file-content.js'
import { sameAround } from '../shared/text-edit/same-around.js'

/** A file as it stood before a change, and what the agent knew of it. */
export interface FormerFile {
  readonly entry: ReadFileEntry
  readonly content: Uint8Array
  readonly mtimeMs: number
}

/** What is known of a file after the agent changed a part of it: of one known in part, that part and the change. */
export function knownAfter(former: FormerFile, written: WrittenFile, newContent: FileContent): ReadFileEntry {
  const { entry } = former
  if (entry.bytes === undefined) return { contentHash: written.contentHash, mtimeMs: written.mtimeMs }
  const content = wholeOf(newContent)
  const bytes = partAfter(entry.bytes, former.content, content)
  return {
    contentHash: contentHash(content.subarray(bytes.start, bytes.end)),
    // What somebody else changed outside the part is still there, and still unseen.
    mtimeMs: entry.mtimeMs === former.mtimeMs ? written.mtimeMs : entry.mtimeMs,
    ...(entry.range !== undefined && { range: entry.range }),
    bytes,
  }
}

type Part = NonNullable<ReadFileEntry['bytes']>

/** Where the part stands after the change; a change that touches it belongs to it. */
function partAfter({ start, end }: Part, before: Uint8Array, after: Uint8Array): Part {
  const { samePrefix, sameSuffix } = sameAround(asLatin1(before), asLatin1(after))
  const changeEnd = before.length - sameSuffix
  const moved = after.length - before.length
  if (end < samePrefix) return { start, end }
  if (start > changeEnd) return { start: start + moved, end: end + moved }
  return { start: Math.min(start, samePrefix), end: Math.max(end, changeEnd) + moved }
}

/** A character for each byte. */
function asLatin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}
