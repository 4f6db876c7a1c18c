import stringWidth from 'string-width'
import { graphemesOf, isSimpleText } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'

/** The number of terminal columns of a text: wide characters and emoji count as two, combining characters as none. */
export function widthOf(text: string): number {
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
