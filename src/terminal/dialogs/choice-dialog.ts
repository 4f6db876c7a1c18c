import type { View } from '../../contract/views.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { BLANK_LINE } from '../blocks/format.js'
import type { InputEvent } from '../input/input-event.js'
import { type Choice, ChoiceList } from './choice-list.js'
import { AnswerDialog, BAR_WIDTH, type DialogFrame, isCancel, renderKeyHints, withBar } from './dialog.js'

/** A question with one answer out of several. Resolves to the index, or to undefined if the user cancels. */
export class ChoiceDialog extends AnswerDialog<number | undefined> {
  readonly step = 'choose'
  readonly #content: View
  readonly #choices: ChoiceList

  constructor(content: View, choices: readonly Choice[]) {
    super()
    this.#content = content
    this.#choices = new ChoiceList(choices)
  }

  handle(event: InputEvent): void {
    if (isCancel(event)) {
      this.settle(undefined)
      return
    }
    const choice = this.#choices.handle(event)
    if (choice !== undefined) this.settle(choice)
  }

  render(width: number, maxRows: number): DialogFrame {
    const choices = this.#choices.render(width)
    const content = renderView(this.#content, { width: width - BAR_WIDTH, verbose: true })
    const keys = renderKeyHints(['number or Enter to choose', 'Esc: cancel'], width)
    const shownRows = content.slice(0, Math.max(1, maxRows - choices.length - keys.length - 1))
    const lines: StyledLine[] = [...withBar(shownRows, 'accent'), BLANK_LINE, ...choices, ...keys]
    return { lines }
  }

  announce(): readonly StyledLine[] {
    const options = { verbose: true, isScreenReader: true }
    return [...renderView(this.#content, options), ...this.#choices.announce(), [{ text: 'Type a number.' }]]
  }
}
