import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the exact text. Line endings are ignored, because a reader cannot see them. */
export function findVerbatim(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  return rangesOf(haystack, edit.oldText).map(({ start, end }) => ({ start, end, edit }))
}

/** Finds text sent with a final newline at the end of a file that has none. */
export function findWithoutFinalNewline(haystack: Haystack, given: FoldedEdit): readonly Match[] {
  const { text } = haystack
  const { oldText, newText } = given
  if (!oldText.endsWith('\n') || !hasSubstance(oldText)) return []
  const edit = {
    ...given,
    oldText: oldText.slice(0, -1),
    newText: newText.endsWith('\n') ? newText.slice(0, -1) : newText,
  }
  const atEnd = rangesOf(haystack, edit.oldText).filter(({ end }) => end === text.length)
  return atEnd.map(({ start, end }) => ({ start, end, edit }))
}

function rangesOf(haystack: Haystack, searched: string): readonly TextRange[] {
  const { text } = haystack
  if (!searched.includes('\n') || !haystack.hasReturns) return occurrences(text, searched)
  if (hasOnlyCrlf(text)) return occurrences(text, searched.replaceAll('\n', '\r\n'))
  return findLineRun(haystack, searched.split('\n'), exactly(text))
}

/** Checks only the line endings, which is much cheaper than a list of all lines. */
function hasOnlyCrlf(text: string): boolean {
  let returns = 0
  for (let at = text.indexOf('\r'); at !== -1; at = text.indexOf('\r', at + 2)) {
    if (text.charCodeAt(at + 1) !== 0x0a) return false
    returns++
  }
  let newlines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) newlines++
  return returns === newlines
}

/** All occurrences, including overlapping ones, which count as separate matches. */
export function occurrences(text: string, searched: string): readonly TextRange[] {
  const found: TextRange[] = []
  for (let at = text.indexOf(searched); at !== -1; at = text.indexOf(searched, at + 1)) {
    found.push({ start: at, end: at + searched.length })
  }
  return found
}

function exactly(text: string): LineComparison {
  return {
    startIn(line, searched) {
      const start = line.end - searched.length
      return start >= line.start && text.startsWith(searched, start) ? start : undefined
    },
    isSame: (line, searched) => line.end - line.start === searched.length && text.startsWith(searched, line.start),
    endIn(line, searched) {
      const end = line.start + searched.length
      return end <= line.end && text.startsWith(searched, line.start) ? end : undefined
    },
  }
}
