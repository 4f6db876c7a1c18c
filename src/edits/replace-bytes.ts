import { countNewlines } from '../shared/count-newlines.js'
import { findBytes } from '../shared/find-bytes.js'
import type { ChangedText } from './text/text-change.js'
import { CONTEXT_LINES } from './unified-patch.js'

/** Bytes with a text in them replaced, in pieces; what stands before the first place and after the last is as it was. */
export interface ReplacedBytes {
  readonly pieces: readonly Buffer[]
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly count: number
}

/** Replaces the one place of a text; undefined where there is none, more than one, or an accent may follow it. */
export function replaceOnly(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const at = findBytes(bytes, searched)
  if (at === -1 || mayBeCut(bytes, at + searched.length) || findBytes(bytes, searched, at + 1) !== -1) return undefined
  const rest = bytes.subarray(at + searched.length)
  return { pieces: [bytes.subarray(0, at), replacement, rest], samePrefix: at, sameSuffix: rest.length, count: 1 }
}

/** Replaces every place, of those that overlap the first; undefined where there is none, or an accent may follow one. */
export function replaceEvery(bytes: Buffer, searched: Buffer, replacement: Buffer): ReplacedBytes | undefined {
  const places = placesOf(bytes.toString('latin1'), searched.toString('latin1'))
  const [first] = places
  if (first === undefined || places.some((place) => mayBeCut(bytes, place + searched.length))) return undefined
  const changed = Buffer.allocUnsafe(bytes.length + places.length * (replacement.length - searched.length))
  let from = 0
  let to = 0
  // Byte by byte: where places are many, they are near each other.
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

/** Letters beyond ASCII are left to those who read characters. */
function mayBeCut(bytes: Buffer, end: number): boolean {
  return (bytes[end] ?? 0) > 0x7f
}

const NEWLINE = 0x0a

/** What of bytes stayed the same, and the bytes that came to stand between. */
export interface ByteChange {
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: Uint8Array
}

/**
 * A change to a UTF-8 text, told by its bytes: only the lines around it are looked at, as text with a character for each
 * byte, because decoding a large file would cost more than all the rest of an edit.
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
