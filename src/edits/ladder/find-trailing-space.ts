import type { TextLine } from '../text/lines.js'
import type { TextRange } from '../text/text-change.js'
import { findLineRun, type LineComparison } from './find-line-run.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the text, ignoring spaces and tabs at line ends on both sides. */
export function findTrailingSpace(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText)) return []
  const searched = edit.oldText.split('\n')
  const compare = withoutTrailingSpace(haystack.text)
  const ranges = searched.length > 1 ? findLineRun(haystack, searched, compare) : inOneLine(haystack, searched[0] ?? '')
  return ranges.map((range) => ({ ...range, edit }))
}

/** Trailing blanks in the searched text match only at the end of a line. */
function inOneLine({ text, lines }: Haystack, searched: string): readonly TextRange[] {
  const wanted = trimEnd(searched)
  if (wanted === searched) return []
  return lines.flatMap((line) => {
    const start = trimmedEnd(text, line) - wanted.length
    return start >= line.start && text.startsWith(wanted, start) ? [{ start, end: line.end }] : []
  })
}

function withoutTrailingSpace(text: string): LineComparison {
  const isSame = (line: TextLine, searched: string) => {
    const wanted = trimEnd(searched)
    return trimmedEnd(text, line) - line.start === wanted.length && text.startsWith(wanted, line.start)
  }
  return {
    startIn(line, searched) {
      const wanted = trimEnd(searched)
      if (wanted === '') return line.end
      const start = trimmedEnd(text, line) - wanted.length
      return start >= line.start && text.startsWith(wanted, start) ? start : undefined
    },
    isSame,
    endIn(line, searched) {
      if (trimEnd(searched) !== searched) return isSame(line, searched) ? line.end : undefined
      const end = line.start + searched.length
      return end <= line.end && text.startsWith(searched, line.start) ? end : undefined
    },
  }
}

function trimmedEnd(text: string, line: TextLine): number {
  let end = line.end
  while (end > line.start && isBlank(text.charCodeAt(end - 1))) end--
  return end
}

function trimEnd(line: string): string {
  return line.slice(0, trimmedEnd(line, { start: 0, end: line.length, next: line.length }))
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
