import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'

/** A text to search, and its lines for those who need them. */
export interface Haystack {
  readonly text: string
  /** Whether any line ends with a carriage return. */
  readonly hasReturns: boolean
  readonly lines: readonly TextLine[]
}

/** What is to be replaced by what, with LF as the only line ending. */
export interface FoldedEdit {
  readonly oldText: string
  readonly newText: string
  /** For each new line the index of the old line that it continues, where that is known and need not be found out. */
  readonly kept?: readonly (number | undefined)[]
}

/** A line of the file, and the line of the old text that was taken for it. */
export interface ReplacedLine {
  readonly raw: string
  readonly old: string
}

/** A place whose lines are, one by one, those of the old text. */
export interface Match extends TextRange {
  readonly edit: FoldedEdit
  /** A line of the new text as it has to stand at this place; undefined where that cannot be told. */
  fitLine?(line: string, index: number, replaced: ReplacedLine | undefined): string | undefined
}

/** One way to find a text, looser than the one before it. */
export type FindMatches = (haystack: Haystack, edit: FoldedEdit) => readonly Match[]

/** Loose ways need something to hold on to: braces and blanks alone are everywhere. */
export function hasSubstance(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
