import stringWidth from 'string-width'
import { cutText } from '../shared/cut-text.js'
import { countWideUnits, hasOnlySingleUnits, isSimpleText, splitGraphemes } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'

const PLAIN_ASCII = /^[ -~]*$/
/** Whether the terminal of this process draws characters of ambiguous width in two columns. */
let areAmbiguousCharactersWide = false

/**
 * The widths of measured characters. Texts repeat the same characters, and string-width takes 20 microseconds for each.
 * The limit is far above the number of characters of most scripts.
 */
const measuredWidths = new Map<string, number>()
const MAX_MEASURED_WIDTHS = 4_096

/**
 * Sets the width of ambiguous characters, such as Greek and Cyrillic letters, dots, arrows and boxes. Terminals for East
 * Asian text may draw them in two columns.
 */
export function setAmbiguousWidth(columns: 1 | 2): void {
  areAmbiguousCharactersWide = columns === 2
  measuredWidths.clear()
}

/** Returns the number of terminal columns of a text: wide characters and emoji count as two, combining characters as none. */
export function widthOf(text: string): number {
  if (areAmbiguousCharactersWide ? PLAIN_ASCII.test(text) : isSimpleText(text)) return text.length
  if (!areAmbiguousCharactersWide && hasOnlySingleUnits(text)) return text.length + countWideUnits(text)
  const measuredWidth = measuredWidths.get(text)
  if (measuredWidth !== undefined) return measuredWidth
  let width = 0
  for (const grapheme of splitGraphemes(text)) width += widthOfGrapheme(grapheme)
  return width
}

function widthOfGrapheme(grapheme: string): number {
  const measuredWidth = measuredWidths.get(grapheme)
  if (measuredWidth !== undefined) return measuredWidth
  const width = stringWidth(grapheme, { ambiguousIsNarrow: !areAmbiguousCharactersWide })
  if (measuredWidths.size >= MAX_MEASURED_WIDTHS) measuredWidths.clear()
  // Long grapheme clusters are rarely repeated.
  if (grapheme.length <= MAX_UNITS_PER_COLUMN) measuredWidths.set(grapheme, width)
  return width
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
    const start = takeColumns(text, remainingColumns)
    const style = span.style === undefined ? {} : { style: span.style }
    spans.push({ text: `${start}…`, ...style })
    break
  }
  return spans
}

/** Returns the start of a text that fits into `width` columns. */
function takeColumns(text: string, width: number): string {
  let start = ''
  let usedColumns = 0
  for (const grapheme of splitGraphemes(text)) {
    usedColumns += widthOf(grapheme)
    if (usedColumns > width) break
    start += grapheme
  }
  return start
}
