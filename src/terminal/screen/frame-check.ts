import type { StyledLine } from '../../views/styled-line.js'
import { type CursorRows, countRows, countRowsAbove, type ReflowRules } from './reflow.js'
import type { Row } from './row.js'

/** A frame that the painter drew for a terminal with `columns` columns. */
interface Frame {
  readonly before: CursorRows
  readonly after: CursorRows
  readonly lines: readonly Row[]
  /** The texts that may wrap at the right margin: the columns at which each starts, and ends if it is not wrapped. */
  readonly wrapped: readonly WrappedText[]
  readonly columns: number
}

export interface WrappedText {
  readonly start: number
  readonly end: number
}

/** A footer that is erased by moving up `rowsAbove` rows. */
interface Erasure {
  readonly rowsAbove: number
  /** Returns the correct number of rows for a width. */
  readonly countRows: (columns: number) => number
}

/** The output that erases a misplaced frame, and the lines to commit again. The cursor is then at the start of an empty row. */
export interface Recovery {
  readonly output: string
  readonly lines: readonly StyledLine[]
}

const CSI = '\u001b['
const ASK_POSITION = `${CSI}6n`
/** Rows up to this width are never wrapped. A report with a column up to 16 could also be a key. */
const MIN_COLUMNS = 21
/** Terminals move the cursor to their last column instead of this one. */
const FAR_COLUMN = 9_999
const MAX_KEPT_LINES = 300

/**
 * Checks at which width the terminal read a frame. A terminal can be resized after a frame was written and before it reads
 * the frame, however long that takes. So the cursor goes to the last column that the frame uses, and the terminal reports its
 * position: if it is less, the terminal had already wrapped the rows of the previous frame, and this one was drawn
 * below its place.
 */
export class FrameCheck {
  #frame: (Frame & { readonly column: number }) | undefined
  #erasure: Erasure | undefined
  /** The last committed lines, in case too many rows are erased. */
  #committedRows: Row[] = []

  /** Whether a report is awaited. */
  get isOpen(): boolean {
    return this.#frame !== undefined || this.#erasure !== undefined
  }

  /** Returns the request for a report. It moves the cursor. */
  openFrame(frame: Frame): string {
    this.#committedRows = [...this.#committedRows, ...frame.lines].slice(-MAX_KEPT_LINES)
    if (!isAffectedByWidth(frame) || frame.columns < MIN_COLUMNS) return ''
    const { before, after, lines } = frame
    const maxWidth = Math.max(...[...before.shown, ...after.shown, ...lines].map(({ width }) => width), MIN_COLUMNS)
    const column = Math.min(maxWidth, frame.columns) - 1
    this.#frame = { ...frame, column }
    return `${CSI}${column + 1}G${ASK_POSITION}`
  }

  /** Records rows of the footer that were drawn after the frame. Returns false if the last frame is confirmed. */
  updateFooter(shown: readonly Row[]): boolean {
    if (this.#frame === undefined || this.#erasure !== undefined) return false
    this.#frame = { ...this.#frame, after: { ...this.#frame.after, shown } }
    return true
  }

  /** Returns the request for a report, after which the cursor is in the first column. */
  openErasure(erasure: Erasure): string {
    if (erasure.countRows(MIN_COLUMNS) === erasure.countRows(FAR_COLUMN)) return ''
    this.#erasure = erasure
    return `${CSI}${FAR_COLUMN}G${ASK_POSITION}\r`
  }

  /** Ends the check without a report. */
  close(): void {
    this.#frame = undefined
    this.#erasure = undefined
  }

  /** Handles a report. `columns` is the width of the terminal now. */
  confirm(column: number, columns: number, rules: ReflowRules): Recovery | undefined {
    const [frame, erasure] = [this.#frame, this.#erasure]
    this.close()
    if (erasure !== undefined) return this.#checkErasure(erasure, column + 1)
    if (frame === undefined || column >= frame.column) return undefined
    const width = column + 1
    // If the frame began at its place, its lines are complete, and only rows of the footer were cut.
    if (countRowsAbove(frame.before, width, rules) === frame.before.row) {
      const cutRows = frame.after.shown.map((row) => ({ ...row, width: Math.min(row.width, width) }))
      return this.#erase((now) => countRowsAbove({ ...frame.after, shown: cutRows }, now, rules), columns, [])
    }
    if (frame.lines.length > 0) this.#committedRows.splice(-frame.lines.length)
    // If the width has changed again, the number of rows is not certain, and the lines above must not be erased.
    const countAll = (now: number) => Math.min(countFrameRows(frame, width, rules), countFrameRows(frame, now, rules))
    return this.#erase(
      countAll,
      columns,
      frame.lines.map(({ line }) => line),
    )
  }

  #erase(countAll: Erasure['countRows'], columns: number, lines: readonly StyledLine[]): Recovery {
    const rowsAbove = countAll(columns)
    return { output: erase(rowsAbove) + this.openErasure({ rowsAbove, countRows: countAll }), lines }
  }

  #checkErasure({ rowsAbove, countRows: countAll }: Erasure, columns: number): Recovery | undefined {
    const excess = rowsAbove - countAll(columns)
    if (excess === 0) return undefined
    if (excess < 0) return { output: erase(-excess), lines: [] }
    // Committed lines were erased as well, so they are written again.
    const lines: StyledLine[] = []
    let height = 0
    for (
      let committedRow = this.#committedRows.pop();
      committedRow !== undefined;
      committedRow = this.#committedRows.pop()
    ) {
      lines.unshift(committedRow.line)
      height += countRows(committedRow.width, columns)
      if (height >= excess) break
    }
    return { output: erase(Math.max(0, height - excess)), lines }
  }
}

function erase(rowsAbove: number): string {
  return `\r${rowsAbove > 0 ? `${CSI}${rowsAbove}A` : ''}${CSI}J${CSI}?25h`
}

/** Whether the frame moves over or draws rows that a narrower terminal would wrap. */
function isAffectedByWidth({ before, after, lines }: Frame): boolean {
  const isWide = ({ width }: Row) => width >= MIN_COLUMNS
  const rowsAbove = [...before.shown.slice(0, before.row), ...after.shown.slice(0, after.row), ...lines]
  if (rowsAbove.some(isWide)) return true
  const [oldBelow, newBelow] = [before.shown.slice(before.row + 1), after.shown.slice(after.row + 1)]
  const isSame =
    oldBelow.length === newBelow.length && oldBelow.every(({ ansi }, index) => ansi === newBelow[index]?.ansi)
  return !isSame && [...oldBelow, ...newBelow].some(isWide)
}

/**
 * Returns the number of rows from the start of the previous footer to the cursor, if the terminal had `columns` columns before
 * it read the frame.
 */
function countFrameRows(
  { before, after, lines, wrapped, columns: frameColumns }: Frame,
  columns: number,
  rules: ReflowRules,
) {
  const shift = countRowsAbove(before, columns, rules) - before.row
  const lineRows = lines.reduce((sum, { width }) => sum + countRows(width, frameColumns), 0)
  const addedRows = wrapped.reduce((sum, { start, end }) => {
    const length = end - start
    return sum + countRows(Math.min(start, columns - 1) + length, columns) - countRows(start + length, frameColumns)
  }, 0)
  return Math.max(0, shift + lineRows + after.row + addedRows)
}
