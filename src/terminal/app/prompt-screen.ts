import { basename } from 'node:path'
import type { StyledLine } from '../../views/styled-line.js'
import { truncate, widthOf } from '../../views/text-width.js'
import { chooseTheme, type ThemeName } from '../../views/themes.js'
import { toAnsi } from '../../views/to-ansi.js'
import { BLANK_LINE } from '../blocks/format.js'
import type { AnswerDialog, Dialog } from '../dialogs/dialog.js'
import { type CompletionSource, Editor, type EditorOptions, type Submission } from '../editor/editor.js'
import type { InputEvent } from '../input/input-event.js'
import { Screen } from '../screen/screen.js'

export interface PromptScreenOptions {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly isScreenReader: boolean
  readonly editor?: EditorOptions
}

/** A view that temporarily takes the whole screen, such as the transcript. */
export interface FullScreenView {
  handle(event: InputEvent): void
  draw(): void
}

/** Longer text scrolls inside the editor. */
const MAX_EDITOR_ROWS = 12
const MAX_MENU_ROWS = 8

/**
 * The terminal with a prompt at the bottom. It loads little code, so it appears before the session is open; what the
 * user types until then is kept.
 */
export class PromptScreen {
  readonly screen: Screen
  readonly editor: Editor
  isScreenReader: boolean
  /** The sources of completion proposals, set when the session is open. */
  readonly completion: { -readonly [K in keyof CompletionSource]: CompletionSource[K] } = {
    findCommands: () => [],
    findFiles: () => [],
  }
  readonly #variables: PromptScreenOptions['variables']
  /** Returns the rows above the prompt: until the session is open, the prompts submitted so far. */
  renderLiveRows: (maxRows: number) => readonly StyledLine[] = () =>
    this.#earlySubmissions.map(({ text }): StyledLine => truncate([{ text: `  queued: ${text}` }], this.screen.columns))
  /** Returns the row below the prompt. */
  renderStatusRow: () => StyledLine = () => []
  /** Receives events before the editor. Returns whether it has handled the event. */
  onKey: (event: InputEvent) => boolean = () => false
  /** Receives keys that the editor ignored. */
  onUnusedKey: (event: InputEvent) => void = () => {}
  /** Called with each submitted text, for the history. */
  onPrompt: (text: string) => void = () => {}
  #onSubmit: ((submission: Submission) => void) | undefined
  readonly #earlySubmissions: Submission[] = []
  readonly #dialogs: Dialog[] = []
  #announcedStep: string | undefined
  #theme
  #view: FullScreenView | undefined

  constructor(options: PromptScreenOptions) {
    const { input, output, variables, isScreenReader } = options
    this.#variables = variables
    this.isScreenReader = isScreenReader
    this.#theme = chooseTheme({ variables })
    this.editor = new Editor({ completion: this.completion, ...options.editor })
    this.screen = new Screen({ input, output, variables, toAnsi: (line) => toAnsi(line, this.#theme) })
    this.screen.onInput((event) => this.#handle(event))
    this.screen.onResize(() => this.draw())
    this.screen.setTitle(`haft ${basename(process.cwd())}`)
  }

  setTheme(name: ThemeName | undefined): void {
    this.#theme = chooseTheme({ name, variables: this.#variables })
  }

  /** Sets the handler of submitted prompts, and calls it for those submitted before. */
  set onSubmit(listener: (submission: Submission) => void) {
    this.#onSubmit = listener
    for (const submission of this.#earlySubmissions.splice(0)) listener(submission)
  }

  commit(lines: readonly StyledLine[]): void {
    this.screen.commit(lines)
    this.draw()
  }

  /** Shows a dialog after the ones before it. Resolves to its answer, or to `fallback` if the signal aborts. */
  async ask<T>(dialog: AnswerDialog<T>, fallback: T, signal?: AbortSignal): Promise<T> {
    const withdraw = () => dialog.settle(fallback)
    if (signal?.aborted === true) return fallback
    signal?.addEventListener('abort', withdraw)
    this.#dialogs.push(dialog)
    dialog.onSettled = () => this.#removeDialog(dialog)
    this.draw()
    try {
      return await dialog.answer
    } finally {
      signal?.removeEventListener('abort', withdraw)
      this.draw()
    }
  }

  #removeDialog(dialog: Dialog): void {
    const index = this.#dialogs.indexOf(dialog)
    if (index === -1) return
    this.#dialogs.splice(index, 1)
    if (index === 0) this.#announcedStep = undefined
  }

  get dialogs(): readonly Dialog[] {
    return this.#dialogs
  }

  /** Routes all input to a full-screen view. Returns a function that routes it to the prompt again. */
  showView(view: FullScreenView): () => void {
    this.#view = view
    return () => {
      this.#view = undefined
      this.draw()
    }
  }

  draw(): void {
    if (this.#view !== undefined) {
      this.#view.draw()
      return
    }
    const { columns, rows } = this.screen
    const maxRows = Math.max(1, rows - 1)
    const [dialog] = this.#dialogs
    if (this.isScreenReader)
      this.screen.setFooter({ ...this.#createFlatFooter(dialog, columns, maxRows), isFlat: true })
    else
      this.screen.setFooter(
        dialog === undefined
          ? this.#createPromptFooter(columns, maxRows)
          : this.#createDialogFooter(dialog, columns, maxRows),
      )
  }

  #createPromptFooter(columns: number, maxRows: number) {
    const editor = this.#renderEditor(columns, Math.min(MAX_EDITOR_ROWS, Math.max(1, maxRows - 2)))
    const menu = this.editor.renderMenu(
      columns,
      Math.max(0, Math.min(MAX_MENU_ROWS, maxRows - editor.lines.length - 2)),
    )
    const status = menu.length > 0 ? [] : [truncate(this.renderStatusRow(), columns)]
    const rowsBelow = [...menu, ...status]
    const availableRows = maxRows - editor.lines.length - rowsBelow.length - 1
    const rowsAbove = availableRows > 0 ? this.renderLiveRows(availableRows) : []
    const topRows = [
      ...rowsAbove.slice(Math.max(0, rowsAbove.length - availableRows)),
      ...(availableRows >= 0 ? [BLANK_LINE] : []),
    ]
    return {
      lines: [...topRows, ...editor.lines, ...rowsBelow],
      cursor: { row: topRows.length + editor.cursor.row, column: editor.cursor.column },
    }
  }

  #renderEditor(columns: number, maxRows: number) {
    const { lines, cursor } = this.editor.render(Math.max(1, columns - 2), maxRows)
    const rows = lines.map(
      (row, index): StyledLine => [{ text: index === 0 ? '> ' : '  ', style: { tone: 'accent' } }, ...row],
    )
    return { lines: rows, cursor: { row: cursor.row, column: cursor.column + 2 } }
  }

  #createDialogFooter(dialog: Dialog, columns: number, maxRows: number) {
    const frame = dialog.render(columns, maxRows - 1)
    const availableRows = maxRows - frame.lines.length - 1
    const rowsAbove = availableRows > 1 ? this.renderLiveRows(availableRows) : []
    const topRows = [...rowsAbove.slice(Math.max(0, rowsAbove.length - availableRows)), BLANK_LINE]
    const cursor = frame.cursor && { row: topRows.length + frame.cursor.row, column: frame.cursor.column }
    return { lines: [...topRows, ...frame.lines], ...(cursor !== undefined && { cursor }) }
  }

  /** Creates the footer for screen readers. Only the edited line is redrawn, and the text of a dialog is committed once. */
  #createFlatFooter(dialog: Dialog | undefined, columns: number, maxRows: number) {
    if (dialog === undefined) return this.#renderEditor(columns, maxRows)
    if (this.#announcedStep !== dialog.step) {
      this.#announcedStep = dialog.step
      this.screen.commit(dialog.announce())
    }
    const { lines, cursor } = dialog.render(columns, maxRows)
    if (cursor !== undefined) return { lines: [lines[cursor.row] ?? []], cursor: { row: 0, column: cursor.column } }
    const label = 'Answer: '
    return { lines: [[{ text: label }]], cursor: { row: 0, column: widthOf(label) } }
  }

  #handle(event: InputEvent): void {
    if (event.type === 'focus') {
      this.onKey(event)
      return
    }
    const [dialog] = this.#dialogs
    if (this.#view !== undefined) this.#view.handle(event)
    else if (dialog !== undefined) dialog.handle(event)
    else if (!this.onKey(event)) this.#edit(event)
    this.draw()
  }

  /** Returns the content of the editor and clears it. */
  takeSubmission(): Submission {
    const submission = this.editor.takeSubmission()
    this.onPrompt(submission.text)
    return submission
  }

  #edit(event: InputEvent): void {
    const outcome = this.editor.handle(event)
    if (outcome === 'ignored') this.onUnusedKey(event)
    if (outcome !== 'submit') return
    const submission = this.takeSubmission()
    if (this.#onSubmit === undefined) this.#earlySubmissions.push(submission)
    else this.#onSubmit(submission)
  }
}
