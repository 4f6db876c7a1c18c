import { type DecodedText, encodeText } from './encoding.js'

/** A piece of a text, by its offsets; the end is not included. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** What is to stand in place of a piece. */
export interface TextChange extends TextRange {
  readonly text: string
}

/** The text with changes made that are in order and do not overlap. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  const pieces: string[] = []
  let done = 0
  for (const change of changes) {
    pieces.push(text.slice(done, change.start), change.text)
    done = change.end
  }
  pieces.push(text.slice(done))
  // A few large pieces are put together without a copy.
  return pieces.length < 10 ? pieces.reduce((all, piece) => all + piece, '') : pieces.join('')
}

/** Makes changes in the bytes themselves: those outside the changes are copied, never encoded again. */
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

/** Gives the place in the bytes for offsets that only ever grow. */
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

/** A text before, how much of its start and end stayed the same, and what came to stand between. */
export interface ChangedText {
  readonly before: string
  readonly samePrefix: number
  readonly sameSuffix: number
  readonly middle: string
  /** How many lines stand before `before`, where that is only a part of the text. */
  readonly linesBefore?: number
  /** Makes a line fit to be read, where the texts hold the bytes of a file. */
  readonly readLine?: (line: string) => string
}

/** What is known to be the same before and after changes that follow each other, each on the text the last one left. */
export class ChangeExtent {
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY
  #only: readonly TextChange[] | undefined
  #steps = 0

  /** Changes to one text, in order. */
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

  /** Of a single step it is put together from the changes: cutting it out of a large new text would copy that first. */
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
