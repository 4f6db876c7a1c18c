import type { StyledLine } from '../../views/styled-line.js'
import { CommitQueue } from './commit-queue.js'
import { ASK_POSITION, isXtermJs, wrapsOnResize } from './modes.js'
import { type Footer, Painter } from './painter.js'
import type { ReflowRules } from './reflow.js'
import type { ToAnsi } from './row.js'

export interface MainViewOptions {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly toAnsi: ToAnsi
  readonly write: (text: string) => void
  /** The current size of the terminal. */
  readonly readSize: () => { readonly columns: number; readonly rows: number }
  /** Called after the size has changed, to set a footer for the new width. */
  readonly onResize: () => void
  /** The time in milliseconds. Default: that of the process. */
  readonly now?: () => number
}

/**
 * A frame fills one third of the screen, and another third for each interval of this length that the terminal took to confirm
 * the last frame, so that a long transcript also appears quickly on a slow connection. If the terminal is resized during such a
 * frame, lines that have left the screen cannot be corrected.
 */
const CONFIRMATION_STEP_MS = 25
const MAX_PARTS = 100
/** For this time after a resize, frames are not enlarged, because further resizes are likely. */
const RESIZING_MS = 10_000

/** After this time, the effect of a key is drawn even if the terminal has not reported the width of the last frame. */
const MAX_UNCONFIRMED_MS = 2_000

/**
 * The main screen: committed lines and the footer below them. If the terminal reports positions, a frame is written only
 * after the terminal has confirmed the previous one, so that the effect of a resize can be corrected.
 */
export class MainView {
  footer: Footer = { lines: [] }
  readonly #options: MainViewOptions
  readonly #painter: Painter
  readonly #commits = new CommitQueue()
  /** Called with the column of the cursor, counted from 0. */
  #onPosition: ((column: number) => void) | undefined
  /** Whether the footer has to be drawn for a new size when the last frame is confirmed. */
  #isResized = false
  /** Whether the last frame had no room for all committed lines. The next ones follow as soon as it is confirmed. */
  #hasRemainder = false
  /** Whether a redraw waits for a report. */
  #isDrawingLater = false
  #lastFrame = 0
  #lastResize = Number.NEGATIVE_INFINITY
  /** How long the terminal took to confirm the last frame. */
  #confirmationMs = 0

  constructor(options: MainViewOptions) {
    this.#options = options
    this.#painter = new Painter({ ...options.readSize(), toAnsi: options.toAnsi })
  }

  get painter(): Painter {
    return this.#painter
  }

  /** Whether the terminal has been asked for the position of the cursor and has not replied. */
  get isAwaitingPosition(): boolean {
    return this.#onPosition !== undefined || this.#painter.isUnconfirmed
  }

  get hasCommits(): boolean {
    return this.#commits.length > 0
  }

  commit(lines: readonly StyledLine[]): void {
    this.#commits.add(lines)
  }

  /** Draws the changes. Returns false if they have to wait until the terminal has reported a position. */
  draw({ isForKey }: { readonly isForKey: boolean }): boolean {
    const isTooLate = this.#now() - this.#lastFrame > MAX_UNCONFIRMED_MS
    if (this.isAwaitingPosition && !(isForKey && isTooLate)) return isForKey && this.#drawCaretRow()
    this.#onPosition = undefined
    const { columns, rows } = this.#options.readSize()
    if (columns !== this.#painter.columns || rows !== this.#painter.rows) {
      this.resize()
      return true
    }
    this.#paint()
    return true
  }

  /** Handles a reported position of the cursor. Returns whether the view has to be drawn now. */
  handlePosition(column: number): boolean {
    if (this.#onPosition !== undefined) {
      this.#onPosition(column)
      return false
    }
    if (!this.#painter.isUnconfirmed) return false
    this.#confirmationMs = this.#now() - this.#lastFrame
    const recovery = this.#painter.confirm(column, this.#options.readSize().columns, this.#rules)
    if (recovery !== undefined) {
      this.#options.write(recovery.output)
      this.#commits.putBack(recovery.lines)
      this.#isResized = true
    }
    if (this.#painter.isUnconfirmed) return false
    if (this.#isResized) {
      this.redraw()
      return false
    }
    const isDrawnNow = this.#isDrawingLater || this.#hasRemainder
    this.#isDrawingLater = false
    return isDrawnNow
  }

  /** Handles a new size of the terminal. */
  resize(): void {
    this.#isResized = true
    this.#lastResize = this.#now()
    if (this.isAwaitingPosition) return
    const { columns } = this.#options.readSize()
    const { column } = this.#painter.caret
    // Some terminals also wrap the row of the cursor. If the cursor had to move, its column shows whether this one
    // does.
    const isMoved = column !== undefined && column >= columns && columns < this.#painter.columns
    if (isMoved && this.#painter.hasReports) this.#askPosition(column)
    else this.redraw()
  }

  /** Erases the footer and draws it for the current size. */
  redraw(rowsInCursorRow = 0): void {
    this.#isResized = false
    const { columns } = this.#options.readSize()
    this.#options.write(this.#painter.eraseAfterResize(columns, this.#rules, rowsInCursorRow))
    this.updateSize()
    this.#options.onResize()
    this.#isDrawingLater = !this.draw({ isForKey: false })
  }

  updateSize(): void {
    Object.assign(this.#painter, this.#options.readSize())
  }

  /** Returns the output for all committed lines that are still queued, before the end of the program. */
  paintRemaining(): string {
    this.#painter.hasReports = false
    return this.hasCommits ? this.#painter.paint(this.#commits.takeAll(), this.footer) : ''
  }

  /** Returns the output that erases the footer. Positions that were asked for are not awaited any more. */
  erase(): string {
    this.#onPosition = undefined
    return this.#painter.erase()
  }

  #paint(): void {
    const lines = this.#commits.take()
    const isResizing = this.#now() - this.#lastResize < RESIZING_MS
    const parts = isResizing ? 1 : Math.min(MAX_PARTS, 1 + Math.floor(this.#confirmationMs / CONFIRMATION_STEP_MS))
    const count = this.#painter.countFitting(lines, this.footer, parts)
    this.#commits.putBack(lines.slice(count))
    this.#hasRemainder = count < lines.length
    this.#lastFrame = this.#now()
    this.#options.write(this.#painter.paint(lines.slice(0, count), this.footer))
  }

  /** Draws the effect of a key in the row of the caret. Returns whether nothing else is left to draw. */
  #drawCaretRow(): boolean {
    const { columns, rows } = this.#options.readSize()
    const isResized = columns !== this.#painter.columns || rows !== this.#painter.rows
    if (isResized || this.#onPosition !== undefined) return false
    const output = this.#painter.paintCaretRow(this.footer)
    if (output === undefined) return false
    this.#options.write(output)
    return !this.hasCommits
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now()
  }

  #askPosition(oldColumn: number): void {
    this.#onPosition = (column) => {
      this.#onPosition = undefined
      const { columns } = this.#options.readSize()
      const isWrapped = column === oldColumn % columns && column !== columns - 1
      this.redraw(isWrapped ? Math.floor(oldColumn / columns) : 0)
    }
    this.#options.write(ASK_POSITION)
  }

  get #rules(): ReflowRules {
    const { variables, readSize } = this.#options
    return {
      isWrapping: wrapsOnResize(variables),
      // When the height shrinks, xterm.js drops rows below the cursor before it wraps others.
      movesForRowsBelow: isXtermJs(variables) && readSize().rows >= this.#painter.rows,
    }
  }
}
