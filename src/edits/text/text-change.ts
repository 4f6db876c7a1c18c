import { type DecodedText, encodeText } from './encoding.js'

/** A range of a text by offsets; `end` is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A range and the text that replaces it. */
export interface TextChange extends TextRange {
  readonly text: string
}

/** Applies changes to a text. They must be sorted and must not overlap. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  const pieces: string[] = []
  let done = 0
  for (const change of changes) {
    pieces.push(text.slice(done, change.start), change.text)
    done = change.end
  }
  pieces.push(text.slice(done))
  // For few pieces concatenation avoids a copy.
  return pieces.length < 10 ? pieces.reduce((all, piece) => all + piece, '') : pieces.join('')
}

/** Applies changes to the bytes. Bytes outside the changes are copied, never re-encoded. */
export function changeDecodedText(decoded: DecodedText, changes: readonly TextChange[]): DecodedText {
  const { encoding, bomLength } = decoded
  const pieces: Uint8Array[] = []
  const place = placesIn(decoded)
  let done = 0
  for (const change of changes) {
    const start = place(change.start)
    pieces.push(decoded.bytes.subarray(done, start), encodeText(change.text, encoding))
    done = place(change.end)
  }
  pieces.push(decoded.bytes.subarray(done))
  return { encoding, bomLength, bytes: Buffer.concat(pieces), text: changedText(decoded.text, changes) }
}

/** Maps ascending text offsets to byte offsets. */
function placesIn({ text, bytes, encoding, bomLength }: DecodedText): (offset: number) => number {
  if (encoding !== 'utf-8') return (offset) => bomLength + offset * (encoding === 'latin-1' ? 1 : 2)
  if (text.length === bytes.length - bomLength) return (offset) => bomLength + offset
  let at = 0
  let place = bomLength
  return (offset) => {
    place += Buffer.byteLength(text.slice(at, offset), 'utf8')
    at = offset
    return place
  }
}

/** A text before a change, the length of its unchanged start and end, and the new text between them. */
export interface ChangedText {
  readonly before: string
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: string
  /** Number of lines before `before`, if that is only a part of the text. */
  readonly linesBefore?: number
  /** Decodes a line for display, if the texts hold raw bytes. */
  readonly readLine?: (line: string) => string
}

/** Collects the extent of successive changes, each applied to the result of the one before. */
export class ChangeExtent {
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY
  #only: readonly TextChange[] | undefined
  #steps = 0

  /** Adds one step: sorted changes to `text`. */
  add(text: string, changes: readonly TextChange[]): void {
    const first = changes[0]
    const last = changes.at(-1)
    if (first === undefined || last === undefined) return
    this.#samePrefix = Math.min(this.#samePrefix, first.start)
    this.#sameSuffix = Math.min(this.#sameSuffix, text.length - last.end)
    this.#only = changes
    this.#steps++
  }

  between(before: string, after: string): ChangedText {
    const shorter = Math.min(before.length, after.length)
    const samePrefix = Math.min(this.#samePrefix, shorter)
    const sameSuffix = Math.min(this.#sameSuffix, shorter - samePrefix)
    return { before, samePrefix, sameSuffix, middle: this.#middle(before, after, samePrefix, sameSuffix) }
  }

  /** For a single step, built from the changes: slicing a large new text would flatten it first, which copies it. */
  #middle(before: string, after: string, samePrefix: number, sameSuffix: number): string {
    if (this.#steps !== 1 || this.#only === undefined) return after.slice(samePrefix, after.length - sameSuffix)
    const shifted = this.#only.map(({ start, end, text }) => ({
      start: start - samePrefix,
      end: end - samePrefix,
      text,
    }))
    return changedText(before.slice(samePrefix, before.length - sameSuffix), shifted)
  }
}
