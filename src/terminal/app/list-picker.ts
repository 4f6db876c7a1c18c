import type { StyledLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { BLANK_LINE, createMutedSpan } from '../blocks/format.js'
import { ChoiceDialog } from '../dialogs/choice-dialog.js'
import { isControl, isKey } from '../dialogs/dialog.js'
import type { InputEvent, KeyEvent } from '../input/input-event.js'
import type { FullScreenView, PromptScreen } from './prompt-screen.js'

interface PickerItem<T> {
  readonly value: T
  readonly label: string
  readonly detail: string
}

/** A further action on the selected item, triggered by Ctrl and `key`. */
interface PickerAction<T> {
  readonly key: string
  readonly hint: string
  run(value: T): void
}

interface PickerOptions<T> {
  readonly title: string
  /** Called at every redraw, so the list may change. */
  readonly items: () => readonly PickerItem<T>[]
  /** Draws the preview of the selected item. */
  readonly preview: (value: T, width: number, maxRows: number) => readonly StyledLine[]
  /** What Enter does, such as `restores it`; shown with the key hints. */
  readonly enterHint: string
  readonly action?: PickerAction<T>
  /** The redraw interval, for items that change on their own. */
  readonly refreshMs?: number
}

/** One item per number key. */
const MAX_FLAT_ITEMS = 9

/**
 * Lets the user choose from a list with a preview, on the alternate screen. Typing filters the list. For screen readers,
 * the newest items are numbered choices instead.
 */
export async function pickFromList<T>(prompt: PromptScreen, options: PickerOptions<T>): Promise<T | undefined> {
  if (!prompt.isScreenReader) return new Promise((resolve) => new ListPicker(prompt, options, resolve))
  const items = options.items().slice(0, MAX_FLAT_ITEMS)
  const choices = items.map(({ label, detail }) => ({ label: `${label}, ${detail}` }))
  const choice = await prompt.ask(new ChoiceDialog(options.title, choices), undefined)
  return choice === undefined ? undefined : items[choice]?.value
}

class ListPicker<T> implements FullScreenView {
  readonly #prompt: PromptScreen
  readonly #options: PickerOptions<T>
  readonly #alternate
  readonly #release: () => void
  readonly #resolve: (value: T | undefined) => void
  readonly #timer: NodeJS.Timeout | undefined
  #filter = ''
  #selected = 0

  constructor(prompt: PromptScreen, options: PickerOptions<T>, resolve: (value: T | undefined) => void) {
    this.#prompt = prompt
    this.#options = options
    this.#resolve = resolve
    this.#alternate = prompt.screen.enterAlternate()
    this.#release = prompt.showView(this)
    const { refreshMs } = options
    if (refreshMs !== undefined) this.#timer = setInterval(() => this.draw(), refreshMs)
    this.draw()
  }

  get #items(): readonly PickerItem<T>[] {
    const words = this.#filter.toLowerCase().split(/\s+/)
    return this.#options.items().filter(({ label, detail }) => {
      const text = `${label} ${detail}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }

  handle(event: InputEvent): void {
    if (event.type !== 'key') return
    const { action } = this.#options
    const selectedItem = this.#items[this.#selected]
    if (isKey(event, 'escape') || isControl(event, 'c') || isControl(event, 'd')) {
      this.#finish(undefined)
      return
    }
    if (isKey(event, 'enter')) {
      if (selectedItem !== undefined) this.#finish(selectedItem.value)
      return
    }
    if (action !== undefined && isControl(event, action.key)) {
      if (selectedItem !== undefined) action.run(selectedItem.value)
    } else this.#moveOrFilter(event)
    this.draw()
  }

  #moveOrFilter(event: KeyEvent): void {
    const lastIndex = Math.max(0, this.#items.length - 1)
    if (isKey(event, 'up')) this.#selected = Math.max(0, this.#selected - 1)
    else if (isKey(event, 'down')) this.#selected = Math.min(lastIndex, this.#selected + 1)
    else if (isKey(event, 'backspace')) this.#setFilter(this.#filter.slice(0, -1))
    else if (event.text !== undefined && !event.ctrl && !event.alt) this.#setFilter(this.#filter + event.text)
  }

  #setFilter(filter: string): void {
    this.#filter = filter
    this.#selected = 0
  }

  #finish(value: T | undefined): void {
    clearInterval(this.#timer)
    this.#alternate.close()
    this.#release()
    this.#resolve(value)
  }

  draw(): void {
    const { columns, rows } = this.#prompt.screen
    const items = this.#items
    const listRows = Math.max(3, Math.min(items.length, Math.floor((rows - 4) / 2)))
    const start = Math.max(0, Math.min(this.#selected - Math.floor(listRows / 2), items.length - listRows))
    const itemRows = items.slice(start, start + listRows).map(({ label, detail }, index): StyledLine => {
      const isSelected = start + index === this.#selected
      const head = { text: `${isSelected ? '❯ ' : '  '}${label}`, style: isSelected ? { tone: 'accent' as const } : {} }
      return truncate([head, createMutedSpan(`  ${detail}`)], columns)
    })
    const selectedItem = items[this.#selected]
    const previewRows = Math.max(0, rows - itemRows.length - 4)
    const preview = selectedItem === undefined ? [] : this.#options.preview(selectedItem.value, columns, previewRows)
    const lines: StyledLine[] = [
      [{ text: this.#options.title, style: { bold: true } }, createMutedSpan(`  ${this.#describeKeys()}`)],
      ...(itemRows.length === 0 ? [[createMutedSpan('  no matches')]] : itemRows),
      [createMutedSpan('─'.repeat(columns))],
      ...preview.slice(0, previewRows),
      BLANK_LINE,
    ]
    this.#alternate.draw({ lines: lines.map((line) => truncate(line, columns)) })
  }

  #describeKeys(): string {
    const { enterHint, action } = this.#options
    return [
      this.#filter === '' ? 'type to filter' : `filter: ${this.#filter}`,
      `Enter ${enterHint}`,
      ...(action === undefined ? [] : [`Ctrl+${action.key.toUpperCase()} ${action.hint}`]),
      'Esc closes',
    ].join(' · ')
  }
}
