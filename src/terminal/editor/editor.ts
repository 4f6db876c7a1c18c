import type { StyledLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { type InputEvent, type KeyEvent, shortcutOf } from '../input/input-event.js'
import { CompletionMenu, type CompletionSource } from './completion.js'
import { History } from './history.js'
import { drawRow, layoutText, locate, positionAt, type TextRow } from './layout.js'
import { type Attachment, Placeholders } from './placeholders.js'
import { TextBuffer } from './text-buffer.js'
import { VimKeys } from './vim-keys.js'

export type { CompletionItem, CompletionSource } from './completion.js'
export type { Attachment } from './placeholders.js'

export interface EditorOptions {
  readonly completion?: CompletionSource
  /** Earlier prompts, oldest first. */
  readonly history?: readonly string[]
  /** Whether a pasted or dropped path is an image that exists. */
  readonly isImage?: (path: string) => boolean
}

/** A submitted prompt. Placeholders of pasted text are replaced with the text. */
export interface Submission {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

export type KeyOutcome = 'handled' | 'submit' | 'ignored'

/** The width before the first `render`. */
const INITIAL_WIDTH = 80

/** The editor of the prompt: a text of several lines with a caret. */
export class Editor {
  readonly #buffer = new TextBuffer()
  readonly #placeholders = new Placeholders()
  readonly #history: History
  readonly #menu: CompletionMenu
  readonly #vim = new VimKeys()
  readonly #isImage: (path: string) => boolean
  #isVim = false
  #mode: 'insert' | 'normal' = 'insert'
  #width = INITIAL_WIDTH
  #firstRow = 0
  /** The column to which vertical motions return after shorter rows. */
  #targetColumn: number | undefined
  #layout: { readonly text: string; readonly width: number; readonly rows: TextRow[] } | undefined

  constructor({ completion, history = [], isImage = () => false }: EditorOptions = {}) {
    this.#history = new History(history)
    this.#menu = new CompletionMenu(completion)
    this.#isImage = isImage
  }

  /** The text as it will be submitted. */
  get text(): string {
    return this.#placeholders.expand(this.#buffer.text)
  }

  get isEmpty(): boolean {
    return this.#buffer.text === ''
  }

  get attachments(): readonly Attachment[] {
    return this.#placeholders.findAttachments(this.#buffer.text)
  }

  /** Whether vim keys are on. `/vim` switches them. */
  get isVim(): boolean {
    return this.#isVim
  }

  set isVim(isVim: boolean) {
    this.#isVim = isVim
    this.#mode = 'insert'
  }

  /** The mode of the vim keys: in normal mode, keys are commands. */
  get mode(): 'insert' | 'normal' {
    return this.#mode
  }

  /**
   * Returns `submit` if the text is to be sent (call `takeSubmission`), and `ignored` if the editor does not use the key.
   */
  handle(event: InputEvent): KeyOutcome {
    if (event.type === 'focus') return 'ignored'
    if (event.type === 'paste') {
      this.insert(event.text)
      return 'handled'
    }
    const isVertical = /^(?:up|down)$/.test(event.key) || (event.ctrl && /^[pn]$/.test(event.key))
    const outcome = this.#handleKey(event)
    if (!isVertical && outcome !== 'ignored' && this.#mode === 'insert') this.#targetColumn = undefined
    if (outcome === 'handled' && !this.#history.isSearching) this.#updateMenu()
    return outcome
  }

  /** Returns the text with its attachments, adds it to the history and clears the editor. */
  takeSubmission(): Submission {
    const submission = { text: this.text, attachments: this.attachments }
    this.#history.add(this.#buffer.text)
    this.#buffer.clear()
    this.#mode = 'insert'
    this.#updateMenu()
    return submission
  }

  /** Replaces the text, for example with a queued prompt to edit. Can be undone. */
  setText(text: string): void {
    const textWithPlaceholders = this.#placeholders.restoreImages(this.#placeholders.createForPaste(text))
    this.#buffer.replace(0, this.#buffer.text.length, textWithPlaceholders)
    this.#history.leave()
    this.#updateMenu()
  }

  /** Inserts a text at the caret as if it was pasted. */
  insert(text: string): void {
    this.#history.endSearch()
    const image = this.#placeholders.createForImage(text, this.#isImage)
    this.#buffer.insert(image ?? this.#placeholders.createForPaste(text))
    this.#targetColumn = undefined
    this.#updateMenu()
  }

  /** Draws the rows around the caret. `cursor` is the position of the caret in them. */
  render(width: number, maxRows: number): { lines: StyledLine[]; cursor: { row: number; column: number } } {
    this.#width = width
    const rows = this.#rows()
    const { row, column } = locate(rows, this.#buffer.caret)
    const height = Math.max(1, maxRows)
    const lastFirstRow = Math.max(0, rows.length - height)
    this.#firstRow = Math.min(Math.max(Math.min(this.#firstRow, row), row - height + 1), lastFirstRow)
    const lines = rows.slice(this.#firstRow, this.#firstRow + height).map(drawRow)
    return { lines, cursor: { row: row - this.#firstRow, column } }
  }

  /** Renders the rows below the text: the completion proposals or the search in the history. May be empty. */
  renderMenu(width: number, maxRows: number): StyledLine[] {
    if (!this.#history.isSearching) return this.#menu.render(width, maxRows)
    const label: StyledLine = [
      { text: 'search in earlier prompts: ', style: { tone: 'muted' } },
      { text: this.#history.query },
    ]
    return maxRows < 1 ? [] : [truncate(label, width)]
  }

  /** Updates the proposals, for example when more files have been listed. */
  refreshCompletion(): void {
    this.#updateMenu()
  }

  #handleKey(event: KeyEvent): KeyOutcome {
    if (this.#history.isSearching) {
      const outcome = this.#handleSearchKey(event)
      if (outcome !== undefined) return outcome
    }
    if (this.#menu.isOpen) {
      const outcome = this.#handleMenuKey(event)
      if (outcome !== undefined) return outcome
    }
    if (event.key === 'enter') return this.#handleEnter(event)
    if (this.#isVim) {
      const outcome = this.#handleVimKey(event)
      if (outcome !== undefined) return outcome
    }
    if (event.text !== undefined && !event.ctrl && !event.alt) {
      this.#buffer.insert(this.#placeholders.createForPaste(event.text))
      return 'handled'
    }
    const action = ACTIONS[shortcutOf(event)]
    return action === undefined || action(this.#buffer, this.#context) === false ? 'ignored' : 'handled'
  }

  readonly #context: ActionContext = {
    moveRow: (step) => this.#moveRow(step) || this.#moveInHistory(step),
    startSearch: () => {
      this.#history.search('')
    },
  }

  /** Handles Enter. After a backslash it inserts a line break, also in terminals that send Shift+Enter as Enter. */
  #handleEnter({ shift, alt, ctrl }: KeyEvent): KeyOutcome {
    const { caret, text } = this.#buffer
    const hasBackslash = text[caret - 1] === '\\'
    if (shift || alt || ctrl || hasBackslash) {
      this.#buffer.replace(hasBackslash ? caret - 1 : caret, caret, '\n')
      return 'handled'
    }
    return text.trim() === '' ? 'ignored' : 'submit'
  }

  #handleVimKey(event: KeyEvent): KeyOutcome | undefined {
    if (this.#mode === 'normal') {
      const context = {
        buffer: this.#buffer,
        moveRow: (step: 1 | -1) => void this.#context.moveRow(step),
        enterInsertMode: () => {
          this.#mode = 'insert'
        },
      }
      return this.#vim.handle(event, context) ? 'handled' : event.key === 'escape' ? 'ignored' : undefined
    }
    if (event.key !== 'escape') return undefined
    this.#mode = 'normal'
    if (this.#buffer.caret > this.#buffer.findLineStart()) this.#buffer.moveTo(this.#buffer.findPreviousGrapheme())
    return 'handled'
  }

  #handleMenuKey(event: KeyEvent): KeyOutcome | undefined {
    const name = shortcutOf(event)
    if (name === 'up' || name === 'ctrl+p') this.#menu.select(-1)
    else if (name === 'down' || name === 'ctrl+n') this.#menu.select(1)
    else if (name === 'escape') this.#menu.close()
    else if (name === 'tab' || name === 'enter') return this.#acceptProposal(name === 'enter')
    else return undefined
    return 'handled'
  }

  /** Accepts a proposal. Enter on a command runs it. Tab adds a space, so that arguments can be typed. */
  #acceptProposal(isEnter: boolean): KeyOutcome {
    const isCommand = this.#menu.kind === 'command'
    const proposal = this.#menu.accept()
    if (proposal === undefined) return 'ignored'
    const text = isEnter && isCommand ? proposal.text.trimEnd() : proposal.text
    this.#buffer.replace(proposal.start, proposal.end, text)
    return isEnter && isCommand ? 'submit' : 'handled'
  }

  /** Handles keys of the history search. Other keys end it and act on the text that was found. */
  #handleSearchKey(event: KeyEvent): KeyOutcome | undefined {
    const name = shortcutOf(event)
    const { query } = this.#history
    if (name === 'ctrl+r') this.#show(this.#history.searchOlder())
    else if (name === 'backspace') this.#show(this.#history.search(query.slice(0, -1)))
    else if (event.text !== undefined && !event.ctrl && !event.alt) this.#show(this.#history.search(query + event.text))
    else {
      this.#history.endSearch()
      return name === 'escape' || name === 'enter' ? 'handled' : undefined
    }
    return 'handled'
  }

  #show(text: string | undefined): void {
    if (text !== undefined) this.#buffer.replace(0, this.#buffer.text.length, text)
  }

  /** Returns false at the first or last row. */
  #moveRow(step: 1 | -1): boolean {
    const rows = this.#rows()
    const { row, column } = locate(rows, this.#buffer.caret)
    const target = rows[row + step]
    if (target === undefined) return false
    const targetColumn = this.#targetColumn ?? column
    this.#buffer.moveTo(positionAt(target, targetColumn))
    this.#targetColumn = targetColumn
    return true
  }

  #moveInHistory(step: 1 | -1): boolean {
    const text = step === -1 ? this.#history.moveToOlder(this.#buffer.text) : this.#history.moveToNewer()
    if (text === undefined) return false
    this.#show(text)
    if (step === 1) this.#buffer.moveTo(text.length)
    return true
  }

  #rows(): TextRow[] {
    const { text } = this.#buffer
    if (this.#layout?.text !== text || this.#layout.width !== this.#width)
      this.#layout = { text, width: this.#width, rows: layoutText(text, this.#width, this.#placeholders.findLabel) }
    return this.#layout.rows
  }

  #updateMenu(): void {
    this.#menu.update(this.#buffer.text, this.#buffer.caret)
  }
}

interface ActionContext {
  /** Returns false if there is neither a row nor a history entry in that direction. */
  moveRow(step: 1 | -1): boolean
  startSearch(): void
}

/** Returns false if the key has no effect. The editor then ignores the key, and the caller may handle it. */
type Action = (buffer: TextBuffer, context: ActionContext) => unknown

const moveLeft: Action = (buffer) => buffer.moveTo(buffer.findPreviousGrapheme())
const moveRight: Action = (buffer) => buffer.moveTo(buffer.findNextGrapheme())
const moveWordLeft: Action = (buffer) => buffer.moveTo(buffer.findPreviousWord())
const moveWordRight: Action = (buffer) => buffer.moveTo(buffer.findNextWord())
const moveToLineStart: Action = (buffer) => buffer.moveTo(buffer.findLineStart())
const moveToLineEnd: Action = (buffer) => buffer.moveTo(buffer.findLineEnd())
const moveToStart: Action = (buffer) => buffer.moveTo(0)
const moveToEnd: Action = (buffer) => buffer.moveTo(buffer.text.length)
const moveUp: Action = (_, context) => context.moveRow(-1)
const moveDown: Action = (_, context) => context.moveRow(1)
const insertNewline: Action = (buffer) => buffer.insert('\n')
const deleteBack: Action = (buffer) => buffer.delete(buffer.findPreviousGrapheme(), buffer.caret)
const deleteForward: Action = (buffer) => buffer.text !== '' && buffer.delete(buffer.caret, buffer.findNextGrapheme())
const killWordBack: Action = (buffer) => buffer.kill(buffer.caret, buffer.findPreviousWord())
const killWord: Action = (buffer) => buffer.kill(buffer.caret, buffer.findNextWord())
const killLineStart: Action = (buffer) => buffer.kill(buffer.caret, buffer.findLineStart())
/** Kills the text up to the end of the line, or the line break if the caret is at the end. */
const killLineEnd: Action = (buffer) =>
  buffer.kill(buffer.caret, buffer.caret === buffer.findLineEnd() ? buffer.findNextGrapheme() : buffer.findLineEnd())
const undo: Action = (buffer) => buffer.undo()
const redo: Action = (buffer) => buffer.redo()

const ACTIONS: Readonly<Record<string, Action>> = {
  left: moveLeft,
  'ctrl+b': moveLeft,
  right: moveRight,
  'ctrl+f': moveRight,
  'alt+left': moveWordLeft,
  'ctrl+left': moveWordLeft,
  'alt+b': moveWordLeft,
  'alt+right': moveWordRight,
  'ctrl+right': moveWordRight,
  'alt+f': moveWordRight,
  home: moveToLineStart,
  'ctrl+a': moveToLineStart,
  end: moveToLineEnd,
  'ctrl+e': moveToLineEnd,
  'ctrl+home': moveToStart,
  'alt+<': moveToStart,
  'alt+shift+,': moveToStart,
  'ctrl+end': moveToEnd,
  'alt+>': moveToEnd,
  'alt+shift+.': moveToEnd,
  up: moveUp,
  'ctrl+p': moveUp,
  down: moveDown,
  'ctrl+n': moveDown,
  'ctrl+j': insertNewline,
  backspace: deleteBack,
  'shift+backspace': deleteBack,
  'ctrl+h': deleteBack,
  delete: deleteForward,
  'ctrl+d': deleteForward,
  'ctrl+w': (buffer) => buffer.kill(buffer.caret, buffer.findPreviousBigWord()),
  'alt+backspace': killWordBack,
  'ctrl+backspace': killWordBack,
  'alt+d': killWord,
  'alt+delete': killWord,
  'ctrl+delete': killWord,
  'ctrl+u': killLineStart,
  'ctrl+k': killLineEnd,
  'ctrl+y': (buffer) => buffer.yank(),
  'alt+y': (buffer) => buffer.yankOlder(),
  'ctrl+_': undo,
  'ctrl+shift+_': undo,
  'ctrl+/': undo,
  'ctrl+-': undo,
  'ctrl+shift+-': undo,
  'alt+_': redo,
  'alt+shift+_': redo,
  'ctrl+shift+z': redo,
  'ctrl+r': (_, context) => context.startSearch(),
}
