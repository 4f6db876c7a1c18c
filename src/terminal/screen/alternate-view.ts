import { widthOfLine } from '../../views/text-width.js'
import type { Footer } from './painter.js'
import type { ToAnsi } from './row.js'

const CSI = '\u001b['

/** The properties of the screen that the view reads for each frame. */
interface ScreenState {
  readonly columns: number
  readonly rows: number
  readonly hasSync: boolean
}

/** Paints the alternate screen. Only rows that have changed are written. */
export class AlternateView {
  /** The frame to draw next. */
  frame: Footer = { lines: [] }
  readonly #screen: ScreenState
  readonly #toAnsi: ToAnsi
  #shownSize = ''
  #shown: string[] = []
  #cursor = ''

  constructor(screen: ScreenState, toAnsi: ToAnsi) {
    this.#screen = screen
    this.#toAnsi = toAnsi
  }

  /** Returns the output that shows `frame`; empty if it is already shown. */
  paint(): string {
    const { columns, rows, hasSync } = this.#screen
    const { lines, cursor } = this.frame
    const size = `${columns} ${rows}`
    // After a resize, the content of the rows is unknown.
    if (size !== this.#shownSize) this.#shown = []
    this.#shownSize = size
    const newRows = Array.from({ length: rows }, (_, index) => {
      const line = lines[index] ?? []
      // After a full row, the cursor is still in the last column, which would be erased.
      return this.#toAnsi(line) + (widthOfLine(line) < columns ? `${CSI}K` : '')
    })
    const text = newRows.map((row, index) => (row === this.#shown[index] ? '' : `${CSI}${index + 1}H${row}`)).join('')
    this.#shown = newRows
    const cursorSequence =
      cursor === undefined ? `${CSI}?25l` : `${CSI}${cursor.row + 1};${cursor.column + 1}H${CSI}?25h`
    if (text === '' && cursorSequence === this.#cursor) return ''
    this.#cursor = cursorSequence
    const frame = text === '' ? cursorSequence : `${CSI}?7l${text}${CSI}?7h${cursorSequence}`
    return hasSync ? `${CSI}?2026h${frame}${CSI}?2026l` : frame
  }
}
