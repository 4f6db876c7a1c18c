import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import type { Haystack } from './match.js'

/** Compares lines of the file with lines of the old text, which may start and end within a line. */
export interface LineComparison {
  /** Where the first old line starts in this line, if this line ends with it. */
  startIn(line: TextLine, oldLine: string): number | undefined
  isSame(line: TextLine, oldLine: string): boolean
  /** Where the last old line ends in this line, if this line starts with it. */
  endIn(line: TextLine, oldLine: string): number | undefined
}

/** Finds every place where two or more old lines occur in a row, ignoring line endings. */
export function findLineRun(
  { lines }: Haystack,
  oldLines: readonly string[],
  compare: LineComparison,
): readonly TextRange[] {
  const ranges: TextRange[] = []
  const last = oldLines.length - 1
  for (let at = 0; at + last < lines.length; at++) {
    const start = compare.startIn(lines[at] as TextLine, oldLines[0] ?? '')
    if (start === undefined || !isMiddleEqual(lines, at, oldLines, compare)) continue
    const end = compare.endIn(lines[at + last] as TextLine, oldLines[last] ?? '')
    if (end !== undefined) ranges.push({ start, end })
  }
  return ranges
}

function isMiddleEqual(
  lines: readonly TextLine[],
  at: number,
  oldLines: readonly string[],
  compare: LineComparison,
): boolean {
  for (let index = 1; index < oldLines.length - 1; index++) {
    if (!compare.isSame(lines[at + index] as TextLine, oldLines[index] ?? '')) return false
  }
  return true
}
