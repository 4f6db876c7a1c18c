import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the old text, ignoring spaces and tabs at line ends on both sides. */
export function findTrailingSpace(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText)) return []
  const oldLines = edit.oldText.split('\n')
  const compare = createTrailingSpaceComparison(haystack.text)
  const ranges =
    oldLines.length > 1 ? findLineRun(haystack, oldLines, compare) : findInOneLine(haystack, oldLines[0] ?? '')
  return ranges.map((range) => ({ ...range, edit }))
}

/** Finds one line with trailing blanks, which match only at the end of a line. */
function findInOneLine({ text, lines }: Haystack, oldLine: string): readonly TextRange[] {
  const trimmed = trimEnd(oldLine)
  if (trimmed === oldLine) return []
  return lines.flatMap((line) => {
    const start = findTrimmedEnd(text, line) - trimmed.length
    return start >= line.start && text.startsWith(trimmed, start) ? [{ start, end: line.end }] : []
  })
}

function createTrailingSpaceComparison(text: string): LineComparison {
  const isSame = (line: TextLine, oldLine: string) => {
    const trimmed = trimEnd(oldLine)
    return findTrimmedEnd(text, line) - line.start === trimmed.length && text.startsWith(trimmed, line.start)
  }
  return {
    startIn(line, oldLine) {
      const trimmed = trimEnd(oldLine)
      if (trimmed === '') return line.end
      const start = findTrimmedEnd(text, line) - trimmed.length
      return start >= line.start && text.startsWith(trimmed, start) ? start : undefined
    },
    isSame,
    endIn(line, oldLine) {
      if (trimEnd(oldLine) !== oldLine) return isSame(line, oldLine) ? line.end : undefined
      const end = line.start + oldLine.length
      return end <= line.end && text.startsWith(oldLine, line.start) ? end : undefined
    },
  }
}

function findTrimmedEnd(text: string, line: TextLine): number {
  let end = line.end
  while (end > line.start && isBlank(text.charCodeAt(end - 1))) end--
  return end
}

function trimEnd(line: string): string {
  return line.slice(0, findTrimmedEnd(line, { start: 0, end: line.length, next: line.length }))
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
