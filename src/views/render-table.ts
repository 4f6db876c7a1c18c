import { indentLines, span } from './plain-lines.js'
import { type StyledLine, type StyledSpan, textOfLine } from './styled-line.js'
import { widthOfLine } from './text-width.js'
import { wrapLines } from './wrap-lines.js'

/** A table whose cells are already rendered. */
export interface TableCells {
  readonly titles: readonly StyledLine[]
  readonly rows: readonly (readonly (readonly StyledLine[])[])[]
}

const COLUMN_GAP = 2
/** Columns narrower than this are hard to read; the rows are then drawn as fields. */
const MIN_COLUMN_WIDTH = 8

/**
 * Draws a table within `width` columns: with whole cells if they fit, otherwise with wrapped cells, otherwise one field
 * per line. Without a width all columns have their natural width.
 */
export function renderTable(table: TableCells, width: number | undefined): StyledLine[] {
  const naturalWidths = table.titles.map((title, column) =>
    Math.max(widthOfLine(title), ...table.rows.map((row) => maxWidthOf(row[column] ?? []))),
  )
  const widths = fitWidths(naturalWidths, width)
  if (widths === undefined) return renderAsFields(table)
  const columns = widths.map((columnWidth, column) => ({
    width: columnWidth,
    isNumeric: isNumeric(table.rows.map((row) => row[column] ?? [])),
  }))
  const rule = widths.map((columnWidth) => [[span('-'.repeat(columnWidth), { tone: 'muted' })]])
  return [
    ...renderRow(
      table.titles.map((title) => [title]),
      columns,
    ),
    ...renderRow(rule, columns),
    ...table.rows.flatMap((row) => renderRow(row, columns)),
  ]
}

/** A column of a drawn table. Numbers are aligned on the right. */
interface Column {
  readonly width: number
  readonly isNumeric: boolean
}

const NUMBER = /^[-+<>~$€£]*\d[\d.,: ]*(?:%|[kMG]?B?|[mµn]?s|min|h)$/

/** Whether a column has numbers only. Cells may be empty. */
function isNumeric(cells: readonly (readonly StyledLine[])[]): boolean {
  const texts = cells.map((lines) => lines.map(textOfLine).join('\n').trim()).filter((text) => text !== '')
  return texts.length > 0 && texts.every((text) => NUMBER.test(text))
}

/** Draws every row as labelled values, for screen readers and narrow screens. */
export function renderAsFields({ titles, rows }: TableCells): StyledLine[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...titles.flatMap((title, column) => renderField(title, row[column] ?? [])),
  ])
}

/** Draws a label with its value on the same line, or below it if the value has several lines. */
export function renderField(label: StyledLine, value: readonly StyledLine[]): StyledLine[] {
  const labelSpans: StyledSpan[] = [...label, span(': ')].map(({ text, style }) =>
    span(text, style ?? { tone: 'muted' }),
  )
  if (value.length <= 1) return [[...labelSpans, ...(value[0] ?? [])]]
  return [labelSpans, ...indentLines(value, 2)]
}

function maxWidthOf(lines: readonly StyledLine[]): number {
  return Math.max(0, ...lines.map(widthOfLine))
}

/** Narrows the widest columns until the table fits; undefined if they would become too narrow. */
function fitWidths(naturalWidths: readonly number[], width: number | undefined): readonly number[] | undefined {
  if (width === undefined) return naturalWidths
  const availableWidth = width - COLUMN_GAP * (naturalWidths.length - 1)
  let limit = Math.max(0, ...naturalWidths)
  const sumWidths = (maxWidth: number) =>
    naturalWidths.reduce((sum, naturalWidth) => sum + Math.min(naturalWidth, maxWidth), 0)
  while (sumWidths(limit) > availableWidth && limit >= MIN_COLUMN_WIDTH) limit--
  return sumWidths(limit) > availableWidth
    ? undefined
    : naturalWidths.map((naturalWidth) => Math.min(naturalWidth, limit))
}

function renderRow(cells: readonly (readonly StyledLine[])[], columns: readonly Column[]): StyledLine[] {
  const wrappedCells = columns.map(({ width }, column) => wrapLines(cells[column] ?? [], Math.max(1, width)))
  const height = Math.max(1, ...wrappedCells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, index) =>
    joinCells(
      wrappedCells.map((lines) => lines[index] ?? []),
      columns,
    ),
  )
}

/** Pads the cells before the last one that has text, so that no line ends with spaces. */
function joinCells(cells: readonly StyledLine[], columns: readonly Column[]): StyledLine {
  const lastIndex = cells.findLastIndex((cell) => widthOfLine(cell) > 0)
  return cells.slice(0, lastIndex + 1).flatMap((cell, index) => {
    const { width = 0, isNumeric = false } = columns[index] ?? {}
    const padding = Math.max(0, width - widthOfLine(cell))
    const spacesAfter = index === lastIndex ? 0 : COLUMN_GAP + (isNumeric ? 0 : padding)
    return [
      ...createSpaces(isNumeric ? padding : 0),
      ...cell.map(({ text, style }) => span(text, style)),
      ...createSpaces(spacesAfter),
    ]
  })
}

function createSpaces(count: number): StyledSpan[] {
  return count > 0 ? [span(' '.repeat(count))] : []
}
