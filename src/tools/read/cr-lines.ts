import type { FileLine, FileLines, FilesPort, LineOptions } from '../../contract/ports/files.js'
import { contentHash } from '../../shared/content-hash.js'
import { detectEncoding, type TextEncoding } from './detect-encoding.js'
import type { ResolvedRequest } from './read-request.js'

/** Whether the lines of a file end in a lone carriage return, as they did long ago: it has these and no newline. */
export function endsLinesByCr(head: Uint8Array): boolean {
  const { kind } = detectEncoding(head)
  if (kind !== 'eight-bit' || head.includes(0x0a)) return false
  const first = head.indexOf(0x0d)
  // One at the very end of what is seen may be the first half of a CRLF.
  return first !== -1 && first < head.length - 1
}

const MAX_BYTES = 10 * 1024 * 1024

/** Such files are old and small, so that they are read whole; a large one is refused by the port. */
export async function readCrLines(
  files: FilesPort,
  { path, realPath, signal }: ResolvedRequest,
  { offset, limit, maxBytes, maxLineBytes }: LineOptions,
): Promise<FileLines> {
  const { content, stat } = await files.read(path, { maxBytes: MAX_BYTES, realPath, signal })
  const all = splitAtCr(content, detectEncoding(content))
  const last = Math.min(all.length, offset - 1 + limit)
  const chosen = all.slice(offset - 1, last)
  const bytes = { start: chosen[0]?.start ?? content.length, end: chosen.at(-1)?.next ?? content.length }
  const size = chosen.reduce((sum, { end, start }) => sum + Math.min(end - start, maxLineBytes), 0)
  const hasMore = last < all.length
  return {
    lines: chosen.map(({ start, end }) => lineOf(content.subarray(start, end), maxLineBytes)),
    hasMore,
    endedBy: size > maxBytes ? 'maxBytes' : hasMore ? 'limit' : 'end',
    totalLines: all.length,
    bytes,
    contentHash: contentHash(content.subarray(bytes.start, bytes.end)),
    head: content.subarray(0, 3),
    stat,
    realPath,
  }
}

interface Line {
  readonly start: number
  readonly end: number
  readonly next: number
}

function splitAtCr(content: Uint8Array, { bomLength }: TextEncoding): Line[] {
  const lines: Line[] = []
  let start = 0
  while (start < content.length) {
    const found = content.indexOf(0x0d, Math.max(start, bomLength))
    const end = found === -1 ? content.length : found
    const next = found === -1 ? end : end + 1
    lines.push({ start, end, next })
    start = next
  }
  return lines
}

function lineOf(bytes: Uint8Array, maxLineBytes: number): FileLine {
  return { bytes: bytes.subarray(0, maxLineBytes), cutBytes: Math.max(0, bytes.length - maxLineBytes) }
}
