import type { Steps } from '../shared/steps.js'
import { countNewlines } from './text/count-newlines.js'
import { findBytes } from './text/find-bytes.js'
import { findText } from './text/find-text.js'
import type { ChangedText } from './text/text-change.js'
import { CONTEXT_LINES } from './unified-patch.js'

/** The result of a replacement, in pieces. The first `samePrefixLength` and the last `sameSuffixLength` bytes are unchanged. */
export interface ReplacedBytes {
  readonly pieces: readonly Buffer[]
  readonly samePrefixLength: number
  readonly sameSuffixLength: number
  readonly count: number
}

/** Replaces the only occurrence. Undefined if there is none, more than one, or a combining accent may follow it. */
export function* replaceOnly(
  bytes: Buffer,
  searchBytes: Buffer,
  replacement: Buffer,
): Steps<ReplacedBytes | undefined> {
  const at = yield* findBytes(bytes, searchBytes)
  if (at === -1 || mayCutCharacter(bytes, at + searchBytes.length)) return undefined
  if ((yield* findBytes(bytes, searchBytes, at + 1)) !== -1) return undefined
  const suffix = bytes.subarray(at + searchBytes.length)
  return {
    pieces: [bytes.subarray(0, at), replacement, suffix],
    samePrefixLength: at,
    sameSuffixLength: suffix.length,
    count: 1,
  }
}

/** Replaces all non-overlapping occurrences. Undefined if there is none, or a combining accent may follow one. */
export function* replaceEvery(
  bytes: Buffer,
  searchBytes: Buffer,
  replacement: Buffer,
): Steps<ReplacedBytes | undefined> {
  const occurrences = yield* findText(bytes.toString('latin1'), searchBytes.toString('latin1'))
  const offsets: number[] = []
  let previousEnd = 0
  for (const [index, offset] of occurrences.entries()) {
    if (index % OFFSETS_PER_STEP === 0) yield
    const end = offset + searchBytes.length
    if (mayCutCharacter(bytes, end)) return undefined
    if (offset < previousEnd) continue
    previousEnd = end
    offsets.push(offset)
  }
  const [first] = offsets
  if (first === undefined) return undefined
  const result = Buffer.allocUnsafe(bytes.length + offsets.length * (replacement.length - searchBytes.length))
  let from = 0
  let to = 0
  // Byte by byte: for short distances between occurrences, a loop is faster than calls of copy().
  for (const [index, offset] of offsets.entries()) {
    if (index % OFFSETS_PER_STEP === 0) yield
    while (from < offset) result[to++] = bytes[from++] as number
    for (let at = 0; at < replacement.length; at++) result[to++] = replacement[at] as number
    from += searchBytes.length
  }
  bytes.copy(result, to, from)
  return { pieces: [result], samePrefixLength: first, sameSuffixLength: bytes.length - from, count: offsets.length }
}

const OFFSETS_PER_STEP = 16_384

/**
 * Whether a match may end inside a character: a non-ASCII byte after it may be a combining accent. The decoded search decides
 * such cases.
 */
function mayCutCharacter(bytes: Buffer, end: number): boolean {
  return (bytes[end] ?? 0) > 0x7f
}

const NEWLINE = 0x0a

/** The unchanged start and end of bytes, and the new bytes between them. */
export interface ByteChange {
  readonly samePrefixLength: number
  readonly sameSuffixLength: number
  readonly middleBytes: Uint8Array
}

/**
 * Describes a byte change as a text change. Only the changed lines and their context are converted, as Latin-1:
 * decoding a large file would cost more than the rest of the edit.
 */
export function describeByteChange(
  body: Buffer,
  { samePrefixLength, sameSuffixLength, middleBytes }: ByteChange,
): ChangedText {
  const end = body.length - sameSuffixLength
  const from = findContextStart(body, samePrefixLength)
  const to = findContextEnd(body, end)
  return {
    linesBefore: countNewlines(body, from),
    before: body.toString('latin1', from, to),
    samePrefixLength: samePrefixLength - from,
    sameSuffixLength: to - end,
    middleText: Buffer.from(middleBytes.buffer, middleBytes.byteOffset, middleBytes.length).toString('latin1'),
    readLine: (line) => Buffer.from(line, 'latin1').toString('utf8'),
  }
}

function findContextStart(body: Buffer, offset: number): number {
  let start = offset
  for (let step = 0; step <= CONTEXT_LINES && start > 0; step++) start = body.lastIndexOf(NEWLINE, start - 1)
  return start > 0 ? start + 1 : 0
}

function findContextEnd(body: Buffer, offset: number): number {
  let end = offset
  for (let step = 0; step <= CONTEXT_LINES; step++) {
    const newlineOffset = body.indexOf(NEWLINE, end)
    if (newlineOffset === -1) return body.length
    end = newlineOffset + 1
  }
  return end
}
