import { countNewlines } from './text/count-newlines.js'
import { findBytes } from './text/find-bytes.js'
import type { ChangedText } from './text/text-change.js'
import { CONTEXT_LINES } from './unified-patch.js'

/** The result of a replacement, in pieces. The first `samePrefix` and the last `sameSuffix` bytes are unchanged. */
export interface ReplacedBytes {
  readonly pieces: readonly Buffer[]
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly count: number
}

/** Replaces the only occurrence. Undefined if there is none, more than one, or a combining accent may follow it. */
export function replaceOnly(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const at = findBytes(bytes, searched)
  if (at === -1 || mayBeCut(bytes, at + searched.length) || findBytes(bytes, searched, at + 1) !== -1) return undefined
  const rest = bytes.subarray(at + searched.length)
  return { pieces: [bytes.subarray(0, at), replacement, rest], samePrefix: at, sameSuffix: rest.length, count: 1 }
}

/** Replaces all non-overlapping occurrences. Undefined if there is none, or a combining accent may follow one. */
export function replaceEvery(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const places = placesOf(bytes.toString('latin1'), searched.toString('latin1'))
  const [first] = places
  if (first === undefined || places.some((place) => mayBeCut(bytes, place + searched.length))) return undefined
  const changed = Buffer.allocUnsafe(bytes.length + places.length * (replacement.length - searched.length))
  let from = 0
  let to = 0
  // Byte by byte: many occurrences are close together, where a loop beats calls to copy().
  for (const place of places) {
    while (from < place) changed[to++] = bytes[from++] as number
    for (let at = 0; at < replacement.length; at++) changed[to++] = replacement[at] as number
    from += searched.length
  }
  bytes.copy(changed, to, from)
  return { pieces: [changed], samePrefix: first, sameSuffix: bytes.length - from, count: places.length }
}

function placesOf(text: string, searched: string): readonly number[] {
  const places: number[] = []
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + searched.length)) places.push(at)
  return places
}

/** A non-ASCII byte after the match may be a combining accent; the decoded search decides such cases. */
function mayBeCut(bytes: Buffer, end: number): boolean {
  return (bytes[end] ?? 0) > 0x7f
}

const NEWLINE = 0x0a

/** The unchanged start and end of bytes, and the new bytes between them. */
export interface ByteChange {
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: Uint8Array
}

/**
 * Describes a byte change as a text change. Only the surrounding lines are converted, as Latin-1: decoding a large file
 * would cost more than the rest of the edit.
 */
export function changedBytes(body: Buffer, { samePrefix, sameSuffix, middle }: ByteChange): ChangedText {
  const end = body.length - sameSuffix
  const from = contextStart(body, samePrefix)
  const to = contextEnd(body, end)
  return {
    linesBefore: countNewlines(body, from),
    before: body.toString('latin1', from, to),
    samePrefix: samePrefix - from,
    sameSuffix: to - end,
    middle: Buffer.from(middle.buffer, middle.byteOffset, middle.length).toString('latin1'),
    readLine: (line) => Buffer.from(line, 'latin1').toString('utf8'),
  }
}

function contextStart(body: Buffer, place: number): number {
  let start = place
  for (let step = 0; step <= CONTEXT_LINES && start > 0; step++) start = body.lastIndexOf(NEWLINE, start - 1)
  return start > 0 ? start + 1 : 0
}

function contextEnd(body: Buffer, place: number): number {
  let end = place
  for (let step = 0; step <= CONTEXT_LINES; step++) {
    const found = body.indexOf(NEWLINE, end)
    if (found === -1) return body.length
    end = found + 1
  }
  return end
}
