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

/** Applies changes to a text. The changes must be sorted and must not overlap. */
export function applyTextChanges(text: string, changes: readonly TextChange[]): string {
  const pieces: string[] = []
  let previousEnd = 0
  for (const change of changes) {
    pieces.push(text.slice(previousEnd, change.start), change.text)
    previousEnd = change.end
  }
  pieces.push(text.slice(previousEnd))
  // Concatenating a few pieces does not copy them; joining does.
  return pieces.length < 10 ? pieces.reduce((all, piece) => all + piece, '') : pieces.join('')
}

/** Applies changes to the bytes and the text. Bytes outside the changes are copied, never re-encoded. */
export function changeDecodedText(decodedText: DecodedText, changes: readonly TextChange[]): DecodedText {
  const { encoding, bomLength } = decodedText
  const pieces: Uint8Array[] = []
  const toByteOffset = createByteOffsetMapper(decodedText)
  let previousEnd = 0
  for (const change of changes) {
    const start = toByteOffset(change.start)
    pieces.push(decodedText.bytes.subarray(previousEnd, start), encodeText(change.text, encoding))
    previousEnd = toByteOffset(change.end)
  }
  pieces.push(decodedText.bytes.subarray(previousEnd))
  return { encoding, bomLength, bytes: Buffer.concat(pieces), text: applyTextChanges(decodedText.text, changes) }
}

/** Creates a function that maps ascending text offsets to byte offsets. */
function createByteOffsetMapper({ text, bytes, encoding, bomLength }: DecodedText): (offset: number) => number {
  if (encoding !== 'utf-8') return (offset) => bomLength + offset * (encoding === 'latin-1' ? 1 : 2)
  if (text.length === bytes.length - bomLength) return (offset) => bomLength + offset
  let previousOffset = 0
  let byteOffset = bomLength
  return (offset) => {
    byteOffset += Buffer.byteLength(text.slice(previousOffset, offset), 'utf8')
    previousOffset = offset
    return byteOffset
  }
}

/** A text before a change, the lengths of its unchanged start and end, and the new text between them. */
export interface ChangedText {
  readonly before: string
  readonly samePrefixLength: number
  readonly sameSuffixLength: number
  readonly middleText: string
  /** The number of lines that precede `before`, if `before` is only a part of the text. */
  readonly linesBefore?: number
  /** Decodes a line for display, if `before` and `middleText` hold the bytes of a file as Latin-1. */
  readonly readLine?: (line: string) => string
}

/** Collects the range that several steps of changes cover. Each step applies to the result of the step before. */
export class ChangeExtent {
  #samePrefix = Number.POSITIVE_INFINITY
  #sameSuffix = Number.POSITIVE_INFINITY
  #lastChanges: readonly TextChange[] | undefined
  #steps = 0

  /** Adds one step: sorted changes to `text`. */
  add(text: string, changes: readonly TextChange[]): void {
    const firstChange = changes[0]
    const lastChange = changes.at(-1)
    if (firstChange === undefined || lastChange === undefined) return
    this.#samePrefix = Math.min(this.#samePrefix, firstChange.start)
    this.#sameSuffix = Math.min(this.#sameSuffix, text.length - lastChange.end)
    this.#lastChanges = changes
    this.#steps++
  }

  /** Describes the change from `before`, the text of the first step, to `after`, the result of the last step. */
  compareTexts(before: string, after: string): ChangedText {
    const shorterLength = Math.min(before.length, after.length)
    const samePrefixLength = Math.min(this.#samePrefix, shorterLength)
    const sameSuffixLength = Math.min(this.#sameSuffix, shorterLength - samePrefixLength)
    return {
      before,
      samePrefixLength,
      sameSuffixLength,
      middleText: this.#findMiddle(before, after, samePrefixLength, sameSuffixLength),
    }
  }

  /**
   * Returns the new text between the common start and end. After a single step, builds it from the changes of that step:
   * slicing a large concatenated text would first copy it.
   */
  #findMiddle(textBefore: string, textAfter: string, samePrefixLength: number, sameSuffixLength: number): string {
    if (this.#steps !== 1 || this.#lastChanges === undefined)
      return textAfter.slice(samePrefixLength, textAfter.length - sameSuffixLength)
    const shiftedChanges = this.#lastChanges.map(({ start, end, text }) => ({
      start: start - samePrefixLength,
      end: end - samePrefixLength,
      text,
    }))
    return applyTextChanges(textBefore.slice(samePrefixLength, textBefore.length - sameSuffixLength), shiftedChanges)
  }
}
