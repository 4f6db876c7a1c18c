import { renderView } from '../../views/render-view.js'
import type { SpanStyle, StyledLine } from '../../views/styled-line.js'
import type { InputEvent } from '../input/input-event.js'

/** Rows of a dialog, and where its caret is if it takes text. */
export interface DialogFrame {
  readonly lines: readonly StyledLine[]
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** Something that the user has to answer before anything else. It takes the place of the editor. */
export interface Dialog {
  handle(event: InputEvent): void
  render(width: number, maxRows: number): DialogFrame
  /** Everything that the dialog says, as logical lines, for screen readers. Read again after each change of `step`. */
  announce(): readonly StyledLine[]
  /** Changes when the dialog asks something else. */
  readonly step: string
}

/** A dialog that ends with an answer. */
export abstract class AnswerDialog<T> implements Dialog {
  readonly answer: Promise<T>
  /** Called at once when the dialog ends, before `answer` resolves: an ended dialog must not be drawn again. */
  onSettled: () => void = () => {}
  #resolve!: (answer: T) => void

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  abstract handle(event: InputEvent): void
  abstract render(width: number, maxRows: number): DialogFrame
  abstract announce(): readonly StyledLine[]
  abstract readonly step: string

  /** Ends the dialog. Further answers have no effect. */
  settle(answer: T): void {
    this.#resolve(answer)
    this.onSettled()
  }
}

/** Whether a key has no modifiers and this name. */
export function isKey(event: InputEvent, key: string): boolean {
  return event.type === 'key' && event.key === key && !event.ctrl && !event.alt && !event.shift
}

/** Whether a key was pressed together with Ctrl. */
export function isControl(event: InputEvent, key: string): boolean {
  return event.type === 'key' && event.key === key && event.ctrl && !event.alt
}

/** The keys that leave a dialog. */
export function isCancel(event: InputEvent): boolean {
  return isKey(event, 'escape') || isControl(event, 'c')
}

/** The keys of a dialog, below its choices. */
export function keyRows(keys: readonly string[], width: number): StyledLine[] {
  return renderView({ type: 'text', text: keys.join(' · '), tone: 'muted' }, { width, verbose: false })
}

/** What a dialog is about, with a bar at its left. The choices below it have none. */
export function withBar(rows: readonly StyledLine[], tone: SpanStyle['tone'] & string): StyledLine[] {
  return rows.map((row) => [{ text: BAR, style: { tone } }, ...row])
}

const BAR = '┃ '
/** The columns that the bar takes. */
export const BAR_WIDTH = BAR.length
