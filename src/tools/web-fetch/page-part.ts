import { cutText } from '../../shared/cut-text.js'

/** A part of a text. */
export interface TextPart {
  readonly text: string
  readonly start: number
  /** The offset after the last character. */
  readonly end: number
}

/** A part ends at a line break if there is one in its last tenth. */
const MIN_FILLED_SHARE = 0.9

/** Returns at most `maxChars` characters from `start`, never a part of a character. */
export function takePart(text: string, start: number, maxChars: number): TextPart {
  const from = cutText(text, start).length
  const cutPart = cutText(text.slice(from), maxChars)
  const lineEnd = cutPart.lastIndexOf('\n') + 1
  const isWhole = from + cutPart.length === text.length
  const part = !isWhole && lineEnd >= maxChars * MIN_FILLED_SHARE ? cutPart.slice(0, lineEnd) : cutPart
  return { text: part, start: from, end: from + part.length }
}
