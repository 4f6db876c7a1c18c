import type { StyledLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { BLANK_LINE, muted } from '../blocks/format.js'
import { isControl, isKey } from '../dialogs/dialog.js'
import type { InputEvent } from '../input/input-event.js'
import type { FullScreenView, PromptScreen } from './prompt-screen.js'

interface PickerItem<T> {
  readonly value: T
  readonly label: string
  readonly detail: string
}

interface PickerOptions<T> {
  readonly title: string
  readonly items: readonly PickerItem<T>[]
  /** Rows about the selected item. */
  readonly preview: (value: T, width: number, maxRows: number) => readonly StyledLine[]
}

/** Lets the user choose from a list with a preview, on the alternate screen. Typing filters the list. */
export function pickFromList<T>(prompt: PromptScreen, options: PickerOptions<T>): Promise<T | undefined> {
  return new Promise((resolve) => new ListPicker(prompt, options, resolve))
}

class ListPicker<T> implements FullScreenView {
  readonly #prompt: PromptScreen
  readonly #options: PickerOptions<T>
  readonly #alternate
  readonly #release: () => void
  readonly #resolve: (value: T | undefined) => void
  #filter = ''
  #selected = 0

  constructor(prompt: PromptScreen, options: PickerOptions<T>, resolve: (value: T | undefined) => void) {
    this.#prompt = prompt
    this.#options = options
    this.#resolve = resolve
    this.#alternate = prompt.screen.enterAlternate()
    this.#release = prompt.showView(this)
    this.draw()
  }

  get #items(): readonly PickerItem<T>[] {
    const words = this.#filter.toLowerCase().split(/\s+/)
    return this.#options.items.filter(({ label, detail }) => {
      const text = `${label} ${detail}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }

  handle(event: InputEvent): void {
    if (event.type !== 'key') return
    const count = this.#items.length
    if (isKey(event, 'escape') || isControl(event, 'c') || isControl(event, 'd')) this.#finish(undefined)
    else if (isKey(event, 'enter')) this.#finish(this.#items[this.#selected]?.value)
    else {
      if (isKey(event, 'up')) this.#selected = Math.max(0, this.#selected - 1)
      else if (isKey(event, 'down')) this.#selected = Math.min(count - 1, this.#selected + 1)
      else if (isKey(event, 'backspace')) this.#setFilter(this.#filter.slice(0, -1))
      else if (event.text !== undefined && !event.ctrl && !event.alt) this.#setFilter(this.#filter + event.text)
      this.draw()
    }
  }

  #setFilter(filter: string): void {
    this.#filter = filter
    this.#selected = 0
  }

  #finish(value: T | undefined): void {
    this.#alternate.close()
    this.#release()
    this.#resolve(value)
  }

  draw(): void {
    const { columns, rows } = this.#prompt.screen
    const items = this.#items
    const listRows = Math.max(3, Math.min(items.length, Math.floor((rows - 4) / 2)))
    const start = Math.max(0, Math.min(this.#selected - Math.floor(listRows / 2), items.length - listRows))
    const list = items.slice(start, start + listRows).map(({ label, detail }, index): StyledLine => {
      const isSelected = start + index === this.#selected
      const head = { text: `${isSelected ? '❯ ' : '  '}${label}`, style: isSelected ? { tone: 'accent' as const } : {} }
      return truncate([head, muted(`  ${detail}`)], columns)
    })
    const selected = items[this.#selected]
    const previewRows = Math.max(0, rows - list.length - 4)
    const preview = selected === undefined ? [] : this.#options.preview(selected.value, columns, previewRows)
    const filter = this.#filter === '' ? 'type to filter' : `filter: ${this.#filter}`
    const lines: StyledLine[] = [
      [{ text: this.#options.title, style: { bold: true } }, muted(`  ${filter} · Enter chooses · Esc leaves`)],
      ...(list.length === 0 ? [[muted('  nothing found')]] : list),
      BLANK_LINE,
      ...preview.slice(0, previewRows),
    ]
    this.#alternate.draw({ lines: lines.map((line) => truncate(line, columns)) })
  }
}
