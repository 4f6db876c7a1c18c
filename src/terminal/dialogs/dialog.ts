import { renderView } from '../../views/render-view.js'
import type { SpanStyle, StyledLine } from '../../views/styled-line.js'
import type { InputEvent } from '../input/input-event.js'

/** The rows of a dialog, and the position of its caret if it takes text. */
export interface DialogFrame {
  readonly lines: readonly StyledLine[]
  readonly cursor?: { readonly row: number; readonly column: number }
}

/** A question that takes the place of the editor until the user has answered it. */
export interface Dialog {
  handle(event: InputEvent): void
  render(width: number, maxRows: number): DialogFrame
  /** Returns the text of the current step as logical lines, for screen readers. Called again when `step` changes. */
  announce(): readonly StyledLine[]
  /** Identifies the current step. Changes when the dialog asks another question. */
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

/** Whether the event is this key without modifiers. */
export function isKey(event: InputEvent, key: string): boolean {
  return event.type === 'key' && event.key === key && !event.ctrl && !event.alt && !event.shift
}

/** Whether the event is this key with Ctrl. */
export function isControl(event: InputEvent, key: string): boolean {
  return event.type === 'key' && event.key === key && event.ctrl && !event.alt
}

/** Whether the event is one of the keys that cancel a dialog. */
export function isCancel(event: InputEvent): boolean {
  return isKey(event, 'escape') || isControl(event, 'c')
}

/** Renders the key hints of a dialog, which are shown below its choices. */
export function renderKeyHints(keys: readonly string[], width: number): StyledLine[] {
  return renderView({ type: 'text', text: keys.join(' · '), tone: 'muted' }, { width, verbose: false })
}

/** Puts a bar to the left of the rows that describe a question, which distinguishes them from the choices below. */
export function withBar(rows: readonly StyledLine[], tone: SpanStyle['tone'] & string): StyledLine[] {
  return rows.map((row) => [{ text: BAR, style: { tone } }, ...row])
}

const BAR = '┃ '
/** The width of the bar in columns. */
export const BAR_WIDTH = BAR.length
