import type { Footer } from './painter.js'
import type { ToAnsi } from './row.js'

const CSI = '\u001b['

/** What the view needs to know about the screen at each frame. */
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

  /** Returns the output to write. */
  paint(): string {
    const { columns, rows, hasSync } = this.#screen
    const { lines, cursor } = this.frame
    const size = `${columns} ${rows}`
    // After a resize, the content of the rows is unknown.
    if (size !== this.#shownSize) this.#shown = []
    this.#shownSize = size
    const next = Array.from({ length: rows }, (_, index) => this.#toAnsi(lines[index] ?? []))
    const text = next
      .map((row, index) => (row === this.#shown[index] ? '' : `${CSI}${index + 1}H${row}${CSI}K`))
      .join('')
    this.#shown = next
    const place = cursor === undefined ? `${CSI}?25l` : `${CSI}${cursor.row + 1};${cursor.column + 1}H${CSI}?25h`
    if (text === '' && place === this.#cursor) return ''
    this.#cursor = place
    const frame = text === '' ? place : `${CSI}?7l${text}${CSI}?7h${place}`
    return hasSync ? `${CSI}?2026h${frame}${CSI}?2026l` : frame
  }
}
