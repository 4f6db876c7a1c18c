import type { Steps } from '../../shared/steps.js'
import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'

/** The text to search, with its lines. */
export interface Haystack {
  readonly text: string
  /** Whether any line ends with a carriage return. */
  readonly hasCarriageReturns: boolean
  /** Splits the text on first use. */
  lines(): Steps<readonly TextLine[]>
}

/** An edit with LF as the only line ending. */
export interface FoldedEdit {
  readonly oldText: string
  readonly newText: string
  /** For each new line the index of the old line it equals; computed if left out. */
  readonly oldIndexes?: readonly (number | undefined)[]
}

/** A line of the file and the line of the old text that matched it. */
export interface ReplacedLine {
  readonly raw: string
  readonly old: string
}

/** A range whose lines match those of the old text one by one. */
export interface Match extends TextRange {
  readonly edit: FoldedEdit
  /** Adapts a line of the new text to this range; undefined if that is not possible. */
  readonly fitLine?: FitLine | undefined
}

export type FitLine = (line: string, index: number, replacedLine: ReplacedLine | undefined) => string | undefined

/** A search strategy. Strategies are tried from the strictest to the loosest. Each takes linear time. */
export type FindMatches = (haystack: Haystack, edit: FoldedEdit) => Steps<readonly Match[]>

/** Whether a text has a letter or digit. Loose strategies require one, because braces and blanks occur everywhere. */
export function hasLetterOrDigit(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
