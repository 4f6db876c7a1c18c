import { splitGraphemes } from '../../shared/graphemes.js'
import type { SpanStyle, StyledLine, StyledSpan } from '../../views/styled-line.js'
import { widthOf, widthOfLine } from '../../views/text-width.js'

/** One row of the footer as it is on the screen. */
export interface Row {
  readonly line: StyledLine
  readonly ansi: string
  readonly width: number
}

export type ToAnsi = (line: StyledLine) => string

export const EMPTY_ROW: Row = { line: [], ansi: '', width: 0 }

export function createRow(line: StyledLine, toAnsi: ToAnsi): Row {
  return { line, ansi: toAnsi(line), width: widthOfLine(line) }
}

/** How to turn one row into another: move to `column`, write `text`, after which the cursor is at `endColumn`. */
export interface RowChange {
  readonly column: number
  readonly text: string
  readonly endColumn: number
}

interface Cell {
  readonly text: string
  readonly width: number
  readonly style: SpanStyle | undefined
}

const ERASE_TO_END = '\u001b[K'

/**
 * Finds a short change that turns one row into another. The rows must differ. Without `mayShift`, everything from the first
 * difference is written again: a terminal that has become narrower drops characters that are shifted beyond its margin.
 */
export function diffRows(from: Row, to: Row, toAnsi: ToAnsi, { mayShift = true } = {}): RowChange {
  const oldCells = cellsOf(from.line)
  const newCells = cellsOf(to.line)
  // After a change of the theme, equal cells look different.
  const isSameTheme = toAnsi(from.line) === from.ansi
  const maxCommon = isSameTheme ? Math.min(oldCells.length, newCells.length) : 0
  const prefixCount = countCommon(maxCommon, (index) => isSameCell(oldCells[index], newCells[index]))
  const keptCount = Math.min(prefixCount, countCertain(newCells))
  const column = sumWidths(newCells.slice(0, keptCount))
  const suffixCount = countCommon(maxCommon - keptCount, (index) =>
    isSameCell(oldCells.at(-1 - index), newCells.at(-1 - index)),
  )
  const middleChange = mayShift
    ? replaceMiddle({ oldCells, newCells, keptCount, suffixCount, column }, toAnsi)
    : undefined
  return (
    middleChange ?? {
      column,
      text:
        toAnsi(lineOf(newCells.slice(keptCount))) +
        (from.width > to.width || keptCount < prefixCount ? ERASE_TO_END : ''),
      endColumn: to.width,
    }
  )
}

interface Comparison {
  readonly oldCells: readonly Cell[]
  readonly newCells: readonly Cell[]
  /** The number of cells at the start that stay. */
  readonly keptCount: number
  /** The number of cells at the end that are equal. */
  readonly suffixCount: number
  readonly column: number
}

/**
 * Replaces the middle and shifts equal characters at the end instead of writing them again, if all widths are certain.
 */
function replaceMiddle(comparison: Comparison, toAnsi: ToAnsi): RowChange | undefined {
  const { oldCells, newCells, keptCount, suffixCount, column } = comparison
  if (suffixCount === 0 || countCertain(newCells) < newCells.length || countCertain(oldCells) < oldCells.length)
    return undefined
  const oldMiddle = oldCells.slice(keptCount, oldCells.length - suffixCount)
  const newMiddle = newCells.slice(keptCount, newCells.length - suffixCount)
  const shift = sumWidths(newMiddle) - sumWidths(oldMiddle)
  const suffixText = toAnsi(lineOf(newCells.slice(newCells.length - suffixCount)))
  const shiftSequence = shift === 0 ? '' : `\u001b[${Math.abs(shift)}${shift > 0 ? '@' : 'P'}`
  // Shifting is not worth a sequence that is longer than the text.
  if (shiftSequence.length > suffixText.length) return undefined
  return {
    column,
    text: shiftSequence + toAnsi(lineOf(newMiddle)),
    endColumn: column + sumWidths(newMiddle),
  }
}

/** Counts the indexes from 0 that are common, up to the first that is not. */
export function countCommon(limit: number, isCommon: (index: number) => boolean): number {
  let count = 0
  while (count < limit && isCommon(count)) count++
  return count
}

/**
 * Counts the cells before the first one of uncertain width. Terminals disagree about joined emoji and combined
 * characters.
 */
function countCertain(cells: readonly Cell[]): number {
  const index = cells.findIndex(({ text }) => text.length > 1 && [...text].length > 1)
  return index === -1 ? cells.length : index
}

function sumWidths(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0)
}

function cellsOf(line: StyledLine): Cell[] {
  return line.flatMap(({ text, style }) =>
    Array.from(splitGraphemes(text), (grapheme) => ({ text: grapheme, width: widthOf(grapheme), style })),
  )
}

function lineOf(cells: readonly Cell[]): StyledLine {
  const spans: StyledSpan[] = []
  for (const { text, style } of cells) {
    const lastSpan = spans.at(-1)
    if (lastSpan !== undefined && isSameStyle(lastSpan.style, style))
      spans[spans.length - 1] = { ...lastSpan, text: lastSpan.text + text }
    else spans.push(style === undefined ? { text } : { text, style })
  }
  return spans
}

function isSameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one !== undefined && other !== undefined && one.text === other.text && isSameStyle(one.style, other.style)
}

function isSameStyle(one: SpanStyle | undefined, other: SpanStyle | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
