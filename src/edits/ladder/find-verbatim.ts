import type { Steps } from '../../shared/steps.js'
import { findText } from '../text/find-text.js'
import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasLetterOrDigit, type Match } from './match.js'

/** Finds the exact old text. Line endings are ignored, because a reader cannot see them. */
export function* findVerbatim(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  return (yield* findRanges(haystack, edit.oldText)).map(({ start, end }) => ({ start, end, edit }))
}

/** Finds an old text with a final newline at the end of a file that has no final newline. */
export function* findWithoutFinalNewline(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  const { text } = haystack
  const { oldText, newText } = edit
  if (!oldText.endsWith('\n') || !hasLetterOrDigit(oldText)) return []
  const editWithoutNewline = {
    ...edit,
    oldText: oldText.slice(0, -1),
    newText: newText.endsWith('\n') ? newText.slice(0, -1) : newText,
  }
  const ranges = yield* findRanges(haystack, editWithoutNewline.oldText)
  const rangesAtEnd = ranges.filter(({ end }) => end === text.length)
  return rangesAtEnd.map(({ start, end }) => ({ start, end, edit: editWithoutNewline }))
}

function* findRanges(haystack: Haystack, searchText: string): Steps<readonly TextRange[]> {
  const { text } = haystack
  if (!searchText.includes('\n') || !haystack.hasCarriageReturns) return yield* findOccurrences(text, searchText)
  if (yield* hasOnlyCrlf(text)) return yield* findOccurrences(text, searchText.replaceAll('\n', '\r\n'))
  const searchLines = searchText.split('\n')
  return yield* findLineRun(haystack, searchLines, createExactComparison(text, searchLines))
}

const COUNTS_PER_STEP = 16_384

/** Whether every line ending is CRLF. Checks only the line endings, which is much cheaper than splitting into lines. */
function* hasOnlyCrlf(text: string): Steps<boolean> {
  let returnCount = 0
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 2)) {
    if (text.charCodeAt(at + 1) !== 0x0a) return false
    if (++returnCount % COUNTS_PER_STEP === 0) yield
  }
  let newlineCount = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++newlineCount % COUNTS_PER_STEP === 0) yield
  }
  return returnCount === newlineCount
}

/** Finds all occurrences, including overlapping ones, which count as separate matches. */
export function* findOccurrences(text: string, searchText: string): Steps<readonly TextRange[]> {
  const offsets = yield* findText(text, searchText)
  return offsets.map((start) => ({ start, end: start + searchText.length }))
}

function createExactComparison(text: string, searchLines: readonly string[]): LineComparison {
  const firstLine = searchLines[0] ?? ''
  const lastLine = searchLines.at(-1) ?? ''
  return {
    findStart(line) {
      const start = line.end - firstLine.length
      return start >= line.start && text.startsWith(firstLine, start) ? start : undefined
    },
    keyOf: ({ start, end }) => text.slice(start, end),
    keyOfOld: (line) => line,
    findMatchEnd(line) {
      const end = line.start + lastLine.length
      return end <= line.end && text.startsWith(lastLine, line.start) ? end : undefined
    },
  }
}
