import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import type { Haystack } from './match.js'

/** Compares lines of the searched text, which may start and end within a line. */
export interface LineComparison {
  /** Where the first searched line starts in this line, if this line ends with it. */
  startIn(line: TextLine, searched: string): number | undefined
  isSame(line: TextLine, searched: string): boolean
  /** Where the last searched line ends in this line, if this line starts with it. */
  endIn(line: TextLine, searched: string): number | undefined
}

/** Finds every run of two or more consecutive lines, ignoring their line endings. */
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
