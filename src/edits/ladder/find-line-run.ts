import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import type { Haystack } from './match.js'

/** How the lines of a searched text are compared: it may begin and end within a line. */
export interface LineComparison {
  /** Where the first line of the searched text begins in this line, if it can end this line. */
  startIn(line: TextLine, searched: string): number | undefined
  isSame(line: TextLine, searched: string): boolean
  /** Where the last line of the searched text ends in this line, if it can begin this line. */
  endIn(line: TextLine, searched: string): number | undefined
}

/** Every place where two or more lines stand one after the other, whatever ends them. */
export function findLineRun(
  { lines }: Haystack,
  searched: readonly string[],
  compare: LineComparison,
): readonly TextRange[] {
  const found: TextRange[] = []
  const last = searched.length - 1
  for (let at = 0; at + last < lines.length; at++) {
    const start = compare.startIn(lines[at] as TextLine, searched[0] ?? '')
    if (start === undefined || !middleIsSame(lines, at, searched, compare)) continue
    const end = compare.endIn(lines[at + last] as TextLine, searched[last] ?? '')
    if (end !== undefined) found.push({ start, end })
  }
  return found
}

function middleIsSame(
  lines: readonly TextLine[],
  at: number,
  searched: readonly string[],
  compare: LineComparison,
): boolean {
  for (let index = 1; index < searched.length - 1; index++) {
    if (!compare.isSame(lines[at + index] as TextLine, searched[index] ?? '')) return false
  }
  return true
}
