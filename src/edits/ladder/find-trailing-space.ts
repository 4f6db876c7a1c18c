import type { Steps } from '../../shared/steps.js'
import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasLetterOrDigit, type Match } from './match.js'

/** Finds the old text, ignoring spaces and tabs at line ends in both texts. */
export function* findTrailingSpace(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  if (!hasLetterOrDigit(edit.oldText)) return []
  const oldLines = edit.oldText.split('\n')
  const ranges =
    oldLines.length > 1
      ? yield* findLineRun(haystack, oldLines, createTrailingSpaceComparison(haystack.text, oldLines))
      : yield* findInOneLine(haystack, oldLines[0] ?? '')
  return ranges.map((range) => ({ ...range, edit }))
}

const LINES_PER_STEP = 4_096

/** Finds one line with trailing blanks, which match only at the end of a line. */
function* findInOneLine(haystack: Haystack, oldLine: string): Steps<readonly TextRange[]> {
  const trimmedLine = trimEnd(oldLine)
  if (trimmedLine === oldLine) return []
  const ranges: TextRange[] = []
  for (const [index, line] of (yield* haystack.lines()).entries()) {
    const start = findTrimmedEnd(haystack.text, line) - trimmedLine.length
    if (start >= line.start && haystack.text.startsWith(trimmedLine, start)) ranges.push({ start, end: line.end })
    if (index % LINES_PER_STEP === 0) yield
  }
  return ranges
}

function createTrailingSpaceComparison(text: string, oldLines: readonly string[]): LineComparison {
  const firstLine = trimEnd(oldLines[0] ?? '')
  const lastLine = oldLines.at(-1) ?? ''
  const trimmedLastLine = trimEnd(lastLine)
  return {
    findStart(line) {
      if (firstLine === '') return line.end
      const start = findTrimmedEnd(text, line) - firstLine.length
      return start >= line.start && text.startsWith(firstLine, start) ? start : undefined
    },
    keyOf: (line) => text.slice(line.start, findTrimmedEnd(text, line)),
    keyOfOld: trimEnd,
    findMatchEnd(line) {
      if (trimmedLastLine !== lastLine) {
        const isSame =
          findTrimmedEnd(text, line) - line.start === trimmedLastLine.length &&
          text.startsWith(trimmedLastLine, line.start)
        return isSame ? line.end : undefined
      }
      const end = line.start + trimmedLastLine.length
      return end <= line.end && text.startsWith(trimmedLastLine, line.start) ? end : undefined
    },
  }
}

function findTrimmedEnd(text: string, line: TextLine): number {
  let end = line.end
  while (end > line.start && isBlank(text.charCodeAt(end - 1))) end--
  return end
}

function trimEnd(line: string): string {
  return line.slice(0, findTrimmedEnd(line, { start: 0, end: line.length, nextStart: line.length }))
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
