import stringWidth from 'string-width'
import { graphemesOf, isSimpleText } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'

const PLAIN_ASCII = /^[ -~]*$/
/** A fact about the terminal of this process, which the screen finds out. */
let areAmbiguousWide = false

/**
 * Terminals for East Asian text may draw characters of ambiguous width, such as Greek and Cyrillic letters, dots, arrows and
 * boxes, in two columns.
 */
export function setAmbiguousWidth(columns: 1 | 2): void {
  areAmbiguousWide = columns === 2
}

/** The number of terminal columns of a text: wide characters and emoji count as two, combining characters as none. */
export function widthOf(text: string): number {
  if (areAmbiguousWide) return PLAIN_ASCII.test(text) ? text.length : stringWidth(text, { ambiguousIsNarrow: false })
  return isSimpleText(text) ? text.length : stringWidth(text)
}

export function widthOfLine(line: StyledLine): number {
  let width = 0
  for (const { text } of line) width += widthOf(text)
  return width
}

/** Cuts a line to a number of columns and marks the cut with an ellipsis. */
export function truncate(line: StyledLine, width: number): StyledLine {
  if (widthOfLine(line) <= width) return line
  if (width < 1) return []
  const spans: StyledSpan[] = []
  let remainingColumns = width - 1
  for (const span of line) {
    const spanWidth = widthOf(span.text)
    if (spanWidth <= remainingColumns) {
      spans.push(span)
      remainingColumns -= spanWidth
      continue
    }
    const start = startOfText(span.text, remainingColumns)
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
