import { basename } from 'node:path'
import type { StyledLine } from '../../views/styled-line.js'
import { truncate, widthOf } from '../../views/text-width.js'
import { type ThemeName, themeFor } from '../../views/themes.js'
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

/** Something that takes the whole screen for a while, such as the transcript view. */
export interface FullScreenView {
  handle(event: InputEvent): void
  draw(): void
}

/** Rows of the editor at most; longer text is scrolled. */
const MAX_EDITOR_ROWS = 12
const MAX_MENU_ROWS = 8

/**
 * The terminal with a prompt at the bottom. It is small, so that it can be drawn before anything else is loaded: what the
 * user types meanwhile is kept.
 */
export class PromptScreen {
  readonly screen: Screen
  readonly editor: Editor
  isScreenReader: boolean
  /** Where the editor finds proposals. */
  readonly completion: { -readonly [K in keyof CompletionSource]: CompletionSource[K] } = {
    findCommands: () => [],
    findFiles: () => [],
  }
  readonly #variables: PromptScreenOptions['variables']
  /** The rows above the prompt. Until the session is open: what was already sent. */
  liveRows: (maxRows: number) => readonly StyledLine[] = () =>
    this.#earlySubmissions.map(({ text }): StyledLine => truncate([{ text: `  queued: ${text}` }], this.screen.columns))
  /** The row below the prompt. */
  statusRow: () => StyledLine = () => []
  /** Sees keys before the editor. Returns whether the key was used. */
  onKey: (event: InputEvent) => boolean = () => false
  /** Sees keys that the editor did not use. */
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
    this.#theme = themeFor({ variables })
    this.editor = new Editor({ completion: this.completion, ...options.editor })
    this.screen = new Screen({ input, output, variables, toAnsi: (line) => toAnsi(line, this.#theme) })
    this.screen.onInput((event) => this.#handle(event))
    this.screen.onResize(() => this.draw())
    this.screen.setTitle(`haft ${basename(process.cwd())}`)
  }

  setTheme(name: ThemeName | undefined): void {
    this.#theme = themeFor({ name, variables: this.#variables })
  }

  /** Handles submitted prompts from now on, first those that came earlier. */
  set onSubmit(listener: (submission: Submission) => void) {
    this.#onSubmit = listener
    for (const submission of this.#earlySubmissions.splice(0)) listener(submission)
  }

  commit(lines: readonly StyledLine[]): void {
    this.screen.commit(lines)
    this.draw()
  }

  /** Shows a dialog when those before it are answered. It disappears with its answer, or when the signal aborts. */
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

  /** Gives all input to a view on the alternate screen. Returns a function that gives it back to the prompt. */
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
    if (this.isScreenReader) this.screen.setFooter({ ...this.#flatFooter(dialog, columns, maxRows), isFlat: true })
    else
      this.screen.setFooter(
        dialog === undefined ? this.#promptFooter(columns, maxRows) : this.#dialogFooter(dialog, columns, maxRows),
      )
  }

  #promptFooter(columns: number, maxRows: number) {
    const editor = this.#renderEditor(columns, Math.min(MAX_EDITOR_ROWS, Math.max(1, maxRows - 2)))
    const menu = this.editor.renderMenu(
      columns,
      Math.max(0, Math.min(MAX_MENU_ROWS, maxRows - editor.lines.length - 2)),
    )
    const status = menu.length > 0 ? [] : [truncate(this.statusRow(), columns)]
    const below = [...menu, ...status]
    const available = maxRows - editor.lines.length - below.length - 1
    const above = available > 0 ? this.liveRows(available) : []
    const top = [...above.slice(Math.max(0, above.length - available)), ...(available >= 0 ? [BLANK_LINE] : [])]
    return {
      lines: [...top, ...editor.lines, ...below],
      cursor: { row: top.length + editor.cursor.row, column: editor.cursor.column },
    }
  }

  #renderEditor(columns: number, maxRows: number) {
    const { lines, cursor } = this.editor.render(Math.max(1, columns - 2), maxRows)
    const rows = lines.map(
      (row, index): StyledLine => [{ text: index === 0 ? '> ' : '  ', style: { tone: 'accent' } }, ...row],
    )
    return { lines: rows, cursor: { row: cursor.row, column: cursor.column + 2 } }
  }

  #dialogFooter(dialog: Dialog, columns: number, maxRows: number) {
    const frame = dialog.render(columns, maxRows - 1)
    const available = maxRows - frame.lines.length - 1
    const above = available > 1 ? this.liveRows(available) : []
    const top = [...above.slice(Math.max(0, above.length - available)), BLANK_LINE]
    const cursor = frame.cursor && { row: top.length + frame.cursor.row, column: frame.cursor.column }
    return { lines: [...top, ...frame.lines], ...(cursor !== undefined && { cursor }) }
  }

  /** For screen readers: only the line that is edited. What a dialog says is committed once. */
  #flatFooter(dialog: Dialog | undefined, columns: number, maxRows: number) {
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

  /** Takes the text out of the editor. */
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
