import type { View } from '../../contract/views.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { BLANK_LINE, createMutedSpan } from '../blocks/format.js'
import { Editor } from '../editor/editor.js'
import type { InputEvent } from '../input/input-event.js'
import { type Choice, ChoiceList } from './choice-list.js'
import { AnswerDialog, BAR_WIDTH, type DialogFrame, isCancel, isKey, renderKeyHints, withBar } from './dialog.js'

/** A permission question as it is displayed. */
export interface PermissionRequest {
  /** The question, in one line. */
  readonly title: View
  /** The call as its tool renders it: a command or a diff. */
  readonly preview: View
  /** Why the user is asked, and a description of an unfamiliar tool. */
  readonly reasons: readonly View[]
  /** The ways to approve the call. The first one approves only this call. */
  readonly approvals: readonly PermissionApproval[]
  /** Text of the call that the user may change before approving it, such as a command. */
  readonly editableText?: string
  /** Paths inside this folder are shown relative to it. */
  readonly cwd?: string
}

export interface PermissionApproval extends Choice {
  /** Tells the caller which approval the user chose. */
  readonly id: string
}

/** The user's answer. `approval` is the id of the chosen approval. */
export type PermissionDialogAnswer =
  | { readonly behavior: 'allow'; readonly approval: string; readonly editedText?: string }
  | { readonly behavior: 'deny'; readonly message?: string }

/** Asks whether a call may run: yes, always, with changes, no, or no with a message. */
export class PermissionDialog extends AnswerDialog<PermissionDialogAnswer> {
  readonly #request: PermissionRequest
  readonly #countWaiting: () => number
  readonly #onKey: () => void
  readonly #choices: ChoiceList
  readonly #editor = new Editor()
  #step: 'choose' | 'edit' | 'explain' = 'choose'
  #scroll = 0
  #maxScroll = 0
  #editedText: string | undefined

  /**
   * @param countWaiting returns the number of questions that wait after this one
   * @param onKey called with every key, so that nothing else answers a question that the user is answering
   */
  constructor(request: PermissionRequest, countWaiting: () => number = () => 0, onKey: () => void = () => {}) {
    super()
    this.#request = request
    this.#countWaiting = countWaiting
    this.#onKey = onKey
    this.#choices = new ChoiceList([
      ...request.approvals,
      { label: 'No' },
      { label: 'No, and tell the model what to do instead' },
    ])
  }

  get step(): string {
    return this.#step
  }

  handle(event: InputEvent): void {
    this.#onKey()
    if (this.#step === 'choose') this.#handleChoice(event)
    else this.#handleText(event)
  }

  #handleChoice(event: InputEvent): void {
    const { approvals, editableText } = this.#request
    if (isCancel(event)) {
      this.settle({ behavior: 'deny' })
      return
    }
    if (isKey(event, 'tab') && editableText !== undefined) {
      this.#step = 'edit'
      this.#editor.setText(this.#editedText ?? editableText)
      return
    }
    if (isKey(event, 'pagedown')) this.#scroll = Math.min(this.#scroll + 5, this.#maxScroll)
    if (isKey(event, 'pageup')) this.#scroll = Math.max(this.#scroll - 5, 0)
    const choice = this.#choices.handle(event)
    if (choice === undefined) return
    const approval = approvals[choice]
    if (approval !== undefined) {
      const edit = this.#editedText === undefined ? {} : { editedText: this.#editedText }
      this.settle({ behavior: 'allow', approval: approval.id, ...edit })
      return
    }
    if (choice === approvals.length) {
      this.settle({ behavior: 'deny' })
      return
    }
    this.#step = 'explain'
    this.#editor.setText('')
  }

  #handleText(event: InputEvent): void {
    if (isCancel(event)) {
      this.#step = 'choose'
      return
    }
    if (this.#editor.handle(event) !== 'submit') return
    const text = this.#editor.text
    if (this.#step === 'explain') {
      this.settle({ behavior: 'deny', ...(text.trim() !== '' && { message: text.trim() }) })
      return
    }
    this.#step = 'choose'
    this.#editedText = text.trim() === '' || text === this.#request.editableText ? undefined : text
  }

  render(width: number, maxRows: number): DialogFrame {
    const { reasons, title, cwd } = this.#request
    const count = this.#countWaiting()
    const countSpans = count === 0 ? [] : [createMutedSpan(`  (${count} more after this)`)]
    const [titleRow = [], ...otherTitleRows] = renderView(title, { width: width - 22, verbose: false, cwd })
    const titleRows: StyledLine[] = [[...titleRow, ...countSpans], ...otherTitleRows]
    const reasonRows = reasons.flatMap((reason) => renderView(reason, { width: width - BAR_WIDTH, verbose: false }))
    const bottom = this.#renderBottom(width)
    const maxPreviewRows = Math.max(1, maxRows - titleRows.length - reasonRows.length - bottom.lines.length - 1)
    const preview = this.#renderPreview(width - BAR_WIDTH, maxPreviewRows)
    // A preview of several rows is set apart by blank rows if there is room.
    const gap = preview.length > 1 && preview.length + 2 <= maxPreviewRows ? [BLANK_LINE] : []
    const textRows = [...titleRows, ...gap, ...preview, ...gap, ...reasonRows]
    const rows: StyledLine[] = [...withBar(textRows, 'warning'), BLANK_LINE]
    const cursor = bottom.cursor && { row: rows.length + bottom.cursor.row, column: bottom.cursor.column }
    return { lines: [...rows, ...bottom.lines], ...(cursor !== undefined && { cursor }) }
  }

  #renderPreview(width: number, maxRows: number): StyledLine[] {
    const view = this.#editedText === undefined ? this.#request.preview : createEditedPreview(this.#editedText)
    const rows = renderView(view, { width, verbose: true, cwd: this.#request.cwd })
    this.#maxScroll = Math.max(0, rows.length - maxRows + 1)
    if (rows.length <= maxRows) return rows
    const start = Math.min(this.#scroll, this.#maxScroll)
    const shownRows = rows.slice(start, start + maxRows - 1)
    const hiddenCount = rows.length - start - shownRows.length
    return [...shownRows, [createMutedSpan(`${hiddenCount} more lines (PageDown, PageUp)`)]]
  }

  #renderBottom(width: number): DialogFrame {
    if (this.#step === 'choose') {
      const keys = ['number or Enter to choose', 'Esc: no']
      if (this.#request.editableText !== undefined) keys.push('Tab: edit first')
      return { lines: [...this.#choices.render(width), ...renderKeyHints(keys, width)] }
    }
    const label = this.#step === 'edit' ? 'Change it, then Enter:' : 'What should the model do instead?'
    const { lines, cursor } = this.#editor.render(width - 2, 6)
    const rows = lines.map((row): StyledLine => [{ text: '> ' }, ...row])
    return { lines: [[createMutedSpan(label)], ...rows], cursor: { row: cursor.row + 1, column: cursor.column + 2 } }
  }

  announce(): readonly StyledLine[] {
    if (this.#step === 'edit') return [[{ text: 'Change the text, then press Enter:' }]]
    if (this.#step === 'explain') return [[{ text: 'What should the model do instead?' }]]
    const { title, preview, reasons, editableText, cwd } = this.#request
    const options = { verbose: true, isScreenReader: true, cwd }
    const hint = editableText === undefined ? '' : ' Tab edits it first.'
    return [
      ...renderView(['Question: ', title].flat(), options),
      ...renderView(preview, options),
      ...reasons.flatMap((reason) => renderView(reason, options)),
      ...this.#choices.announce(),
      [{ text: `Type a number.${hint}` }],
    ]
  }
}

function createEditedPreview(text: string): View {
  return { type: 'code', text }
}
