import type { StyledLine } from '../../views/styled-line.js'
import { FrameCheck, type Recovery, type WrappedText } from './frame-check.js'
import { type CursorRows, countRowsAbove, type ReflowRules } from './reflow.js'
import { countCommon, createRow, diffRows, EMPTY_ROW, type Row, type ToAnsi } from './row.js'

/** The rows below the transcript, which are redrawn when they change. */
export interface Footer {
  /** Rows of at most `columns` columns. Rows at the top that do not fit on the screen are left out. */
  readonly lines: readonly StyledLine[]
  /** Where the caret is, counted from 0. Without it the cursor is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number }
  /**
   * Whether lines are written where the footer was, one after another, instead of being inserted above it. For screen readers.
   */
  readonly isFlat?: boolean
}

/** A logical line to append, with the number of rows it takes if that is certain. */
interface CommittedLine extends Row {
  readonly height: number | undefined
}

/** A row of the next frame: a row of the footer, a committed line, or the continuation of one that the terminal wraps. */
type Slot = { readonly row: Row; readonly isCommitted: boolean; readonly height: number } | 'continuation'

const CSI = '\u001b['
const ERASE_BELOW = `${CSI}J`
const ERASE_TO_END = `${CSI}K`
const WRAP_OFF = `${CSI}?7l`
const WRAP_ON = `${CSI}?7h`
const SHOW_CURSOR = `${CSI}?25h`
const HIDE_CURSOR = `${CSI}?25l`
const SYNC_START = `${CSI}?2026h`
const SYNC_END = `${CSI}?2026l`
const ASCII = /^[ -~]*$/
/** One row up to this length is written without a synchronised update: terminals draw it at once anyway. */
const MAX_SIMPLE_LENGTH = 128

/**
 * Computes the output that appends lines above the footer and updates the footer. All movements are relative, because
 * the place of the footer on the screen is unknown. New rows are created by line feeds at the bottom, so lines that
 * scroll off the screen are always in the scrollback.
 */
export class Painter {
  columns: number
  rows: number
  /** Whether the terminal supports synchronised updates. */
  hasSync = false
  /** Whether the terminal reports the position of the cursor. */
  hasReports = false
  readonly #toAnsi: ToAnsi
  /** The footer on the screen. */
  #shown: readonly Row[] = [EMPTY_ROW]
  readonly #check = new FrameCheck()
  /** The texts of this frame that wrap at the right margin. */
  #wrapped: WrappedText[] = []
  /** The position of the cursor, relative to the first row of the footer. The column is unknown where terminals differ. */
  #row = 0
  #column: number | undefined
  #isCursorShown = true
  #isWrapping = true
  #output = ''
  #changedRows = 0

  constructor({ columns, rows, toAnsi }: { columns: number; rows: number; toAnsi: ToAnsi }) {
    this.columns = columns
    this.rows = rows
    this.#toAnsi = toAnsi
  }

  get caret(): { readonly row: number; readonly column: number | undefined } {
    return { row: this.#row, column: this.#column }
  }

  /** Appends lines and draws the footer. Returns what to write: nothing if nothing has changed. */
  paint(lines: readonly StyledLine[], footer: Footer): string {
    const { rows, cursor } = this.#fit(footer)
    const committedLines = lines.map((line) => this.#measure(line))
    let output = ''
    let start = 0
    do {
      const end = this.#findChunkEnd(committedLines, start, this.rows - rows.length)
      const chunk = committedLines.slice(start, end)
      const isLast = end >= committedLines.length
      output += this.#paintChunk(chunk, rows, { cursor, isFlat: footer.isFlat === true, isLast })
      start = end
    } while (start < committedLines.length)
    return output
  }

  /** Whether the terminal has not yet reported how wide it was for the last frame. Until then, nothing may be painted. */
  get isUnconfirmed(): boolean {
    return this.#check.isOpen
  }

  /**
   * Handles the report for the last frame. If the terminal was resized before it read the frame, returns what to write
   * and which lines to commit again.
   */
  confirm(column: number, columns: number, rules: ReflowRules): Recovery | undefined {
    const recovery = this.#check.confirm(column, columns, rules)
    if (recovery !== undefined) this.#reset()
    return recovery
  }

  /** Erases the footer and leaves the cursor at its start, which is never above the footer. */
  erase(): string {
    return this.#eraseRows(this.#row)
  }

  /** Erases the footer after the width has become `columns`. `addedRows` is added above the cursor. */
  eraseAfterResize(columns: number, rules: ReflowRules, addedRows = 0): string {
    const footer = { shown: this.#shown, row: this.#row }
    // Without reports it is not known which rows have been wrapped, and the lines above the footer must not be erased.
    if (!this.hasReports) return this.#eraseRows(this.#row)
    const countRows = (width: number) => countRowsAbove(footer, width, rules) + addedRows
    const rowsAbove = countRows(columns)
    return this.#eraseRows(rowsAbove) + this.#check.openErasure({ rowsAbove, countRows })
  }

  /**
   * Forgets the footer, because the cursor is at the start of an empty row, for example after another program has used
   * the terminal.
   */
  forget(): void {
    this.#check.close()
    this.#reset()
  }

  #reset(): void {
    this.#shown = [EMPTY_ROW]
    this.#row = 0
    this.#column = 0
    this.#isCursorShown = true
  }

  #eraseRows(rowsAbove: number): string {
    const up = rowsAbove > 0 ? `${CSI}${rowsAbove}A` : ''
    const show = this.#isCursorShown ? '' : SHOW_CURSOR
    this.forget()
    return `\r${up}${ERASE_BELOW}${show}`
  }

  /**
   * Draws a change in the row of the caret while the last frame is unconfirmed. The text does not wrap, so it moves no
   * other row, however wide the terminal is. Returns undefined if anything else has changed.
   */
  paintCaretRow(footer: Footer): string | undefined {
    const { rows, cursor } = this.#fit(footer)
    const isSame = (row: Row, index: number) => index === this.#row || row.ansi === this.#shown[index]?.ansi
    const [from, to] = [this.#shown[this.#row], rows[this.#row]]
    if (cursor?.row !== this.#row || rows.length !== this.#shown.length || !rows.every(isSame)) return undefined
    if (from === undefined || to === undefined || !this.#check.updateFooter(rows)) return undefined
    this.#output = ''
    this.#changedRows = 0
    this.#setWrapping(false)
    this.#writeRow(from, { row: to, isCommitted: false, height: 1 }, this.#row, { mayWrap: false })
    this.#shown = rows
    this.#setWrapping(true)
    this.#placeCursor(cursor)
    return this.#frame()
  }

  /**
   * Returns how many of the lines the next frame may commit. They must stay on the screen until the terminal has confirmed the
   * frame, even if it becomes narrower or half as high. `parts` is how many thirds of the screen they may fill.
   */
  countFitting(lines: readonly StyledLine[], footer: Footer, parts: number): number {
    if (!this.hasReports) return lines.length
    const maxHeight = Math.floor((parts * (this.rows - this.#fit(footer).rows.length)) / 3)
    return this.#findChunkEnd(
      lines.slice(0, parts * this.rows).map((line) => this.#measure(line)),
      0,
      Math.max(1, maxHeight),
    )
  }

  /** Cuts the footer to the height of the screen without one row, which remains for the transcript. */
  #fit({ lines, cursor }: Footer): { rows: Row[]; cursor: Footer['cursor'] } {
    const maxRows = Math.max(1, this.rows - 1)
    const excess = Math.max(0, lines.length - maxRows)
    // A caret above the cut stays visible at the cost of the rows below.
    const first = Math.min(excess, cursor?.row ?? excess)
    const rows = lines.slice(first, first + maxRows).map((line) => createRow(line, this.#toAnsi))
    return {
      rows: rows.length === 0 ? [EMPTY_ROW] : rows,
      cursor: cursor && { row: cursor.row - first, column: Math.min(cursor.column, this.columns - 1) },
    }
  }

  #measure(line: StyledLine): CommittedLine {
    return { ...createRow(line, this.#toAnsi), height: heightOf(line, this.columns) }
  }

  /**
   * Returns the end of the lines that fit above the footer at once. Lines of uncertain height are written together, without
   * this limit.
   */
  #findChunkEnd(lines: readonly CommittedLine[], start: number, maxHeight: number): number {
    let height = 0
    let end = start
    while (end < lines.length && height <= maxHeight) {
      const lineHeight = lines[end]?.height ?? Number.POSITIVE_INFINITY
      if (height + lineHeight > maxHeight) break
      height += lineHeight
      end++
    }
    if (end > start || start >= lines.length) return end
    while (end < lines.length && (lines[end]?.height ?? Number.POSITIVE_INFINITY) > maxHeight) end++
    return end
  }

  #paintChunk(
    lines: readonly CommittedLine[],
    footer: readonly Row[],
    { cursor, isFlat, isLast }: { cursor: Footer['cursor']; isFlat: boolean; isLast: boolean },
  ): string {
    this.#output = ''
    this.#changedRows = 0
    this.#wrapped = []
    const before = { shown: this.#shown, row: this.#row }
    const height = lines.reduce((sum, line) => sum + (line.height ?? Number.POSITIVE_INFINITY), 0)
    const isRewritten = isFlat && lines.length > 0
    if (height + footer.length <= this.rows && !isRewritten) this.#insert(lines, footer)
    else this.#rewrite(lines, footer)
    this.#shown = footer
    this.#setWrapping(true)
    if (this.#output !== '' && this.hasReports && isLast) this.#requestReport(before, lines, cursor)
    this.#placeCursor(cursor)
    return this.#frame()
  }

  #requestReport(before: CursorRows, lines: readonly CommittedLine[], cursor: Footer['cursor']): void {
    const after = { shown: this.#shown, row: cursor?.row ?? Math.max(0, this.#row) }
    const request = this.#check.openFrame({ before, after, lines, wrapped: this.#wrapped, columns: this.columns })
    this.#output += request
    if (request !== '') this.#column = undefined
  }

  /** Writes only rows that differ. Equal rows at the top stay, and similar rows at the bottom are moved. */
  #insert(lines: readonly CommittedLine[], footer: readonly Row[]): void {
    const slots = [
      ...lines.flatMap(createSlots),
      ...footer.map((row): Slot => ({ row, isCommitted: false, height: 1 })),
    ]
    const oldRows = this.#shown
    const maxCommon = Math.min(oldRows.length, slots.length)
    const commonTop = countCommon(maxCommon, (index) => isSameRow(slots[index], oldRows[index]))
    const commonBottom = countCommon(Math.min(maxCommon - commonTop, footer.length), (index) =>
      this.#isSimilarRow(slots.at(-1 - index), oldRows.at(-1 - index)),
    )
    const oldEnd = oldRows.length - commonBottom
    const newEnd = slots.length - commonBottom
    const addedRows = newEnd - oldEnd
    if (commonBottom > 0 && addedRows > 0) {
      this.#moveTo(oldRows.length - 1 + addedRows, undefined)
      this.#moveTo(oldEnd, 0)
      this.#output += `${CSI}${addedRows === 1 ? '' : addedRows}L`
    } else if (addedRows < 0) {
      this.#moveTo(newEnd, 0)
      this.#output += commonBottom > 0 ? `${CSI}${addedRows === -1 ? '' : -addedRows}M` : ERASE_BELOW
    }
    if (addedRows !== 0) this.#changedRows += 2
    this.#writeSlots(slots.slice(commonTop, newEnd), commonTop, oldRows.slice(commonTop, Math.min(oldEnd, newEnd)))
    this.#writeSlots(slots.slice(newEnd), newEnd, oldRows.slice(oldEnd))
    this.#row -= slots.length - footer.length
  }

  /** Whether a row at the bottom is worth moving, because little of it changes. */
  #isSimilarRow(slot: Slot | undefined, row: Row | undefined): boolean {
    if (slot === undefined || slot === 'continuation' || slot.isCommitted || row === undefined) return false
    if (slot.row.ansi === row.ansi) return true
    return diffRows(row, slot.row, this.#toAnsi).text.length * 2 < slot.row.ansi.length
  }

  #writeSlots(slots: readonly Slot[], first: number, oldRows: readonly Row[]): void {
    for (const [index, slot] of slots.entries()) {
      const row = first + index
      if (slot === 'continuation') continue
      if (slot.height > 1) this.#writeWrapping(slot.row, row, oldRows.length > index)
      else this.#writeRow(oldRows[index] ?? EMPTY_ROW, slot, row)
    }
    // Empty rows at the end must also be created.
    const lastRow = first + slots.length - 1
    if (slots.length > oldRows.length && this.#row < lastRow) this.#moveTo(lastRow, undefined)
  }

  #writeRow(
    from: Row,
    { row: to, isCommitted }: Exclude<Slot, 'continuation'>,
    row: number,
    { mayWrap = true }: { readonly mayWrap?: boolean } = {},
  ): void {
    if (from.ansi === to.ansi) return
    const { column, text, endColumn } = diffRows(from, to, this.#toAnsi, { mayShift: !isCommitted })
    this.#moveTo(row, column)
    const isAscii = isAsciiLine(to.line)
    this.#setWrapping(mayWrap && (isCommitted || endColumn * (isAscii ? 1 : 2) <= this.columns / 2))
    this.#output += text
    // If the terminal has become narrower, the line ends in the next row, which may have other text.
    if (isCommitted && this.hasReports && endColumn === to.width && !text.endsWith(ERASE_TO_END))
      this.#output += ERASE_TO_END
    if (this.#isWrapping) this.#wrapped.push({ start: column, end: endColumn })
    // After other characters, terminals disagree about the column.
    this.#column = endColumn < this.columns && isAscii ? endColumn : undefined
    this.#changedRows++
  }

  /**
   * Turns wrapping on or off. Rows of the footer do not wrap, even if the terminal has just become narrower or measures
   * characters differently.
   */
  #setWrapping(isWrapping: boolean): void {
    if (this.#isWrapping === isWrapping) return
    this.#isWrapping = isWrapping
    this.#output += isWrapping ? WRAP_ON : WRAP_OFF
  }

  /** Writes a line of several rows, which the terminal wraps, so that it is copied as one line. */
  #writeWrapping(line: Row, row: number, isOnOldRows: boolean): void {
    this.#moveTo(row, 0)
    this.#setWrapping(true)
    this.#output += line.ansi
    this.#row = row + Math.ceil(line.width / this.columns) - 1
    this.#wrapped.push({ start: 0, end: line.width })
    // A terminal that has become narrower writes the end of the line over another row.
    const isLastRowFull = line.width % this.columns === 0
    if ((isOnOldRows || this.hasReports) && !isLastRowFull) this.#output += ERASE_TO_END
    this.#column = isLastRowFull ? undefined : line.width % this.columns
    this.#changedRows += 2
  }

  /** Erases the footer, writes the lines and draws the footer again. Used for lines whose height is not certain. */
  #rewrite(lines: readonly CommittedLine[], footer: readonly Row[]): void {
    this.#moveTo(0, 0)
    this.#output += ERASE_BELOW
    for (const { ansi, width } of lines) {
      this.#output += `${ansi}\r\n`
      this.#wrapped.push({ start: 0, end: width })
    }
    this.#setWrapping(false)
    this.#output += footer.map(({ ansi }) => ansi).join('\r\n')
    this.#row = footer.length - 1
    this.#column = undefined
    this.#changedRows = lines.length + footer.length + 1
  }

  #placeCursor(cursor: Footer['cursor']): void {
    if (cursor !== undefined) this.#moveTo(cursor.row, cursor.column)
    // The next frame starts from a row of the footer.
    else if (this.#row < 0) this.#moveTo(0, undefined)
    if (this.#isCursorShown === (cursor !== undefined)) return
    this.#isCursorShown = cursor !== undefined
    this.#output += this.#isCursorShown ? SHOW_CURSOR : HIDE_CURSOR
  }

  #moveTo(row: number, column: number | undefined): void {
    const up = this.#row - row
    if (up > 0) this.#output += `${CSI}${up === 1 ? '' : up}A`
    if (up < 0) {
      // Line feeds create rows that the terminal dropped when its height shrank. Vertical tabs are line feeds to which
      // the system adds no carriage return. Still, they may return to the first column.
      this.#output += '\v'.repeat(-up)
      if (this.#column !== 0) this.#column = undefined
    }
    this.#row = row
    if (column === undefined || column === this.#column) return
    if (column === 0) this.#output += '\r'
    else if (this.#column !== undefined && column === this.#column - 1) this.#output += '\b'
    else this.#output += `${CSI}${column + 1}G`
    this.#column = column
  }

  /** Returns the output of the frame. Without synchronised updates, the cursor is hidden while it moves. */
  #frame(): string {
    const output = this.#output
    if (this.#changedRows === 0 || (this.#changedRows === 1 && output.length <= MAX_SIMPLE_LENGTH)) return output
    if (this.hasSync) return SYNC_START + output + SYNC_END
    return this.#isCursorShown ? HIDE_CURSOR + output + SHOW_CURSOR : output
  }
}

/** Returns the number of rows, or undefined if terminals disagree about the width of the characters. */
function heightOf(line: StyledLine, columns: number): number | undefined {
  let length = 0
  let otherCharacters = 0
  for (const { text } of line) {
    length += text.length
    if (!ASCII.test(text)) otherCharacters += text.replace(/[ -~]+/g, '').length
  }
  if (length + otherCharacters <= columns) return 1
  return otherCharacters === 0 ? Math.ceil(length / columns) : undefined
}

function isAsciiLine(line: StyledLine): boolean {
  return line.every(({ text }) => ASCII.test(text))
}

function createSlots(row: CommittedLine): Slot[] {
  const height = row.height ?? 1
  const continuations = Array.from({ length: height - 1 }, (): Slot => 'continuation')
  return [{ row, isCommitted: true, height }, ...continuations]
}

function isSameRow(slot: Slot | undefined, row: Row | undefined): boolean {
  return slot !== undefined && slot !== 'continuation' && slot.height === 1 && slot.row.ansi === row?.ansi
}
