import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the exact old text. Line endings are ignored, because a reader cannot see them. */
export function findVerbatim(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  return rangesOf(haystack, edit.oldText).map(({ start, end }) => ({ start, end, edit }))
}

/** Finds an old text with a final newline at the end of a file that has no final newline. */
export function findWithoutFinalNewline(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  const { text } = haystack
  const { oldText, newText } = edit
  if (!oldText.endsWith('\n') || !hasSubstance(oldText)) return []
  const editWithoutNewline = {
    ...edit,
    oldText: oldText.slice(0, -1),
    newText: newText.endsWith('\n') ? newText.slice(0, -1) : newText,
  }
  const rangeAtEnd = rangesOf(haystack, editWithoutNewline.oldText).filter(({ end }) => end === text.length)
  return rangeAtEnd.map(({ start, end }) => ({ start, end, edit: editWithoutNewline }))
}

function rangesOf(haystack: Haystack, searchText: string): readonly TextRange[] {
  const { text } = haystack
  if (!searchText.includes('\n') || !haystack.hasReturns) return findOccurrences(text, searchText)
  if (hasOnlyCrlf(text)) return findOccurrences(text, searchText.replaceAll('\n', '\r\n'))
  return findLineRun(haystack, searchText.split('\n'), createExactComparison(text))
}

/** Whether every line ending is CRLF. Checks only the line endings, which is much cheaper than splitting into lines. */
function hasOnlyCrlf(text: string): boolean {
  let returnCount = 0
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 2)) {
    if (text.charCodeAt(at + 1) !== 0x0a) return false
    returnCount++
  }
  let newlineCount = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) newlineCount++
  return returnCount === newlineCount
}

/** Finds all occurrences, including overlapping ones, which count as separate matches. */
export function findOccurrences(text: string, searchText: string): readonly TextRange[] {
  const ranges: TextRange[] = []
  for (let at = text.indexOf(searchText); at !== -1; at = text.indexOf(searchText, at + 1)) {
    ranges.push({ start: at, end: at + searchText.length })
  }
  return ranges
}

function createExactComparison(text: string): LineComparison {
  return {
    startIn(line, oldLine) {
      const start = line.end - oldLine.length
      return start >= line.start && text.startsWith(oldLine, start) ? start : undefined
    },
    isSame: (line, oldLine) => line.end - line.start === oldLine.length && text.startsWith(oldLine, line.start),
    endIn(line, oldLine) {
      const end = line.start + oldLine.length
      return end <= line.end && text.startsWith(oldLine, line.start) ? end : undefined
    },
  }
}
