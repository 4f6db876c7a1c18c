import { splitGraphemes } from '../../shared/graphemes.js'
import { toPrintable } from '../../shared/printable.js'
import type { SpanStyle, StyledLine, StyledSpan } from '../../views/styled-line.js'
import { widthOf } from '../../views/text-width.js'

/** One row of the text on the screen. */
export interface TextRow {
  /** Positions in the text. `end` is after the last character of the row, before a line break. */
  readonly start: number
  readonly end: number
  readonly cells: readonly Cell[]
  /** Whether a line break or the end of the text follows. */
  readonly isLast: boolean
}

interface Cell {
  readonly position: number
  readonly text: string
  readonly width: number
  readonly style?: SpanStyle
}

/** Returns the label of a placeholder, or undefined for an ordinary character. */
export type FindLabel = (character: string) => string | undefined

const TAB = '    '
const LABEL_STYLE: SpanStyle = { tone: 'accent' }

/** Wraps the text between words, or inside words that are longer than a row. */
export function layoutText(text: string, width: number, findLabel: FindLabel): TextRow[] {
  const rows: TextRow[] = []
  let start = 0
  for (const line of text.split('\n')) {
    rows.push(...layoutLine(line, start, Math.max(1, width), findLabel))
    start += line.length + 1
  }
  return rows
}

function layoutLine(line: string, lineStart: number, width: number, findLabel: FindLabel): TextRow[] {
  const cells = createCells(line, lineStart, width, findLabel)
  const rows: TextRow[] = []
  let firstCell = 0
  while (firstCell < cells.length) {
    const end = findRowEnd(cells, firstCell, width)
    const nextCell = cells[end]
    const endPosition = nextCell?.position ?? lineStart + line.length
    rows.push({
      start: cells[firstCell]?.position ?? lineStart,
      end: endPosition,
      cells: cells.slice(firstCell, end),
      isLast: nextCell === undefined,
    })
    firstCell = end
  }
  const lastRow = rows.at(-1)
  // After a full row, the caret is on an additional empty row.
  if (lastRow === undefined || widthOfCells(lastRow.cells) >= width) {
    if (lastRow !== undefined) rows[rows.length - 1] = { ...lastRow, isLast: false }
    rows.push({ start: lineStart + line.length, end: lineStart + line.length, cells: [], isLast: true })
  }
  return rows
}

function createCells(line: string, lineStart: number, width: number, findLabel: FindLabel): Cell[] {
  const cells: Cell[] = []
  let position = lineStart
  for (const grapheme of splitGraphemes(line)) {
    const label = findLabel(grapheme)
    const text = label ?? (grapheme === '\t' ? TAB : toPrintable(grapheme))
    const fittingText = widthOf(text) <= width ? text : '…'
    const style = label === undefined ? {} : { style: LABEL_STYLE }
    cells.push({ position, text: fittingText, width: widthOf(fittingText), ...style })
    position += grapheme.length
  }
  return cells
}

/** Returns the index of the first cell of the next row. */
function findRowEnd(cells: readonly Cell[], firstCell: number, width: number): number {
  let usedColumns = 0
  let end = firstCell
  let endAfterSpace: number | undefined
  for (; end < cells.length; end++) {
    const cell = cells[end]
    if (cell === undefined || usedColumns + cell.width > width) break
    usedColumns += cell.width
    if (cell.text === ' ') endAfterSpace = end + 1
  }
  return end === cells.length || endAfterSpace === undefined ? Math.max(end, firstCell + 1) : endAfterSpace
}

function widthOfCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0)
}

/** Converts a position in the text to a row and a column. */
export function locate(rows: readonly TextRow[], position: number): { row: number; column: number } {
  let row = rows.findIndex(({ end, isLast }) => position < end || (position === end && isLast))
  if (row === -1) row = rows.length - 1
  const cells = rows[row]?.cells ?? []
  return { row, column: widthOfCells(cells.filter((cell) => cell.position < position)) }
}

/** Returns the position at a column of a row, or the nearest one. */
export function positionAt({ cells, end, isLast }: TextRow, column: number): number {
  let usedColumns = 0
  for (const { position, width } of cells) {
    if (usedColumns + width > column) return position
    usedColumns += width
  }
  // The end of a wrapped row is the start of the next one.
  return isLast ? end : (cells.at(-1)?.position ?? end)
}

export function drawRow({ cells }: TextRow): StyledLine {
  const spans: StyledSpan[] = []
  for (const { text, style } of cells) {
    const lastSpan = spans.at(-1)
    if (lastSpan !== undefined && lastSpan.style === style)
      spans[spans.length - 1] = { ...lastSpan, text: lastSpan.text + text }
    else spans.push(style === undefined ? { text } : { text, style })
  }
  return spans
}
