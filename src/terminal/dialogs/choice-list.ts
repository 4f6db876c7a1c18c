import type { View } from '../../contract/views.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import type { InputEvent } from '../input/input-event.js'
import { isKey } from './dialog.js'

export interface Choice {
  readonly label: View
  /** A second line below the label. */
  readonly detail?: View
}

/** Numbered choices. A number key chooses at once; the arrow keys select a choice and Enter confirms it. */
export class ChoiceList {
  readonly #choices: readonly Choice[]
  readonly #marks: Set<number> | undefined
  #selected = 0

  /** @param isMultiple Space and numbers mark choices, and Enter ends the selection. */
  constructor(choices: readonly Choice[], { isMultiple = false } = {}) {
    this.#choices = choices
    this.#marks = isMultiple ? new Set() : undefined
  }

  get selected(): number {
    return this.#selected
  }

  get marked(): readonly number[] {
    return [...(this.#marks ?? [])].sort((a, b) => a - b)
  }

  /** Returns the chosen index when the choice is made. */
  handle(event: InputEvent): number | undefined {
    const count = this.#choices.length
    if (isKey(event, 'up')) this.#selected = (this.#selected + count - 1) % count
    else if (isKey(event, 'down')) this.#selected = (this.#selected + 1) % count
    else if (isKey(event, 'enter')) return this.#selected
    else if (this.#marks !== undefined && isKey(event, 'space')) this.#toggle(this.#selected)
    else if (event.type === 'key' && !event.ctrl && !event.alt && /^[1-9]$/.test(event.key)) {
      const index = Number(event.key) - 1
      if (index >= count) return undefined
      this.#selected = index
      if (this.#marks === undefined) return index
      this.#toggle(index)
    }
    return undefined
  }

  render(width: number): StyledLine[] {
    return this.#choices.flatMap((choice, index) => {
      const isSelected = index === this.#selected
      const pointer = isSelected ? '❯ ' : '  '
      const mark = this.#marks === undefined ? '' : this.#marks.has(index) ? '[x] ' : '[ ] '
      const prefix = `${pointer}${index + 1} ${mark}`
      const rows = this.#rowsOf(choice, width - prefix.length)
      return rows.map((row, rowIndex): StyledLine => {
        const style = isSelected ? ({ tone: 'accent' } as const) : undefined
        const start = rowIndex === 0 ? prefix : ' '.repeat(prefix.length)
        return [{ text: start, ...(style !== undefined && { style }) }, ...(isSelected ? accentRow(row) : row)]
      })
    })
  }

  /** Returns the numbered choices as logical lines, for screen readers. */
  announce(): StyledLine[] {
    return this.#choices.flatMap((choice, index) =>
      this.#rowsOf(choice, undefined).map(
        (row, rowIndex): StyledLine => [{ text: rowIndex === 0 ? `${index + 1}. ` : '   ' }, ...row],
      ),
    )
  }

  #rowsOf({ label, detail }: Choice, width: number | undefined): StyledLine[] {
    const options = { verbose: false, ...(width !== undefined && { width: Math.max(1, width) }) }
    return [...renderView(label, options), ...(detail === undefined ? [] : renderView(detail, options))]
  }

  #toggle(index: number): void {
    if (this.#marks?.delete(index) === false) this.#marks.add(index)
  }
}

/** Gives unstyled text of the selected choice the colour of the pointer. */
function accentRow(row: StyledLine): StyledLine {
  return row.map((span) =>
    span.style?.tone === undefined ? { ...span, style: { ...span.style, tone: 'accent' } } : span,
  )
}
