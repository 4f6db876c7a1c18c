import stringWidth from 'string-width'
import { cutText } from '../shared/cut-text.js'
import { graphemesOf, isSimpleText } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'

const PLAIN_ASCII = /^[ -~]*$/
/** Whether the terminal of this process draws characters of ambiguous width in two columns. */
let areAmbiguousCharactersWide = false

/**
 * Terminals for East Asian text may draw characters of ambiguous width, such as Greek and Cyrillic letters, dots, arrows and
 * boxes, in two columns.
 */
export function setAmbiguousWidth(columns: 1 | 2): void {
  areAmbiguousCharactersWide = columns === 2
}

/** The number of terminal columns of a text: wide characters and emoji count as two, combining characters as none. */
export function widthOf(text: string): number {
  if (areAmbiguousCharactersWide)
    return PLAIN_ASCII.test(text) ? text.length : stringWidth(text, { ambiguousIsNarrow: false })
  return isSimpleText(text) ? text.length : stringWidth(text)
}

export function widthOfLine(line: StyledLine): number {
  let width = 0
  for (const { text } of line) width += widthOf(text)
  return width
}

/** Text has fewer UTF-16 units per column in practice, so longer text is cut before it is measured. */
const MAX_UNITS_PER_COLUMN = 32

/** Cuts a line to a number of columns and marks the cut with an ellipsis. The time does not depend on the length. */
export function truncate(line: StyledLine, width: number): StyledLine {
  const maxUnits = Math.max(1, width) * MAX_UNITS_PER_COLUMN
  const isLong = line.some(({ text }) => text.length > maxUnits)
  if (!isLong && widthOfLine(line) <= width) return line
  if (width < 1) return []
  const spans: StyledSpan[] = []
  let remainingColumns = width - 1
  for (const span of line) {
    const text = cutText(span.text, maxUnits)
    const spanWidth = widthOf(text)
    if (spanWidth <= remainingColumns && text === span.text) {
      spans.push(span)
      remainingColumns -= spanWidth
      continue
    }
    const start = startOfText(text, remainingColumns)
    const style = span.style === undefined ? {} : { style: span.style }
    spans.push({ text: `${start}…`, ...style })
    break
  }
  return spans
}

function startOfText(text: string, width: number): string {
  let start = ''
  let used = 0
  for (const grapheme of graphemesOf(text)) {
    used += widthOf(grapheme)
    if (used > width) break
    start += grapheme
  }
  return start
}
