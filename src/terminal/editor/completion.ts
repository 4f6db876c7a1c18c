import type { StyledLine } from '../../views/styled-line.js'
import { truncate, widthOf } from '../../views/text-width.js'

/** A proposal in the completion menu. */
export interface CompletionItem {
  /** The text that replaces the typed word, for example `/help` or `@src/index.ts`. */
  readonly value: string
  readonly description?: string
}

/** Finds proposals for the word at the caret. The methods are called for every key, so they must be fast. */
export interface CompletionSource {
  /** Returns proposals for a command. `word` starts with `/` and is the first word of the text. */
  findCommands(word: string): readonly CompletionItem[]
  /** Returns proposals for a file. `path` is the text after `@`. */
  findFiles(path: string): readonly CompletionItem[]
}

/** The word to complete, with its position in the text. */
interface Word {
  readonly kind: 'command' | 'file'
  readonly start: number
  readonly text: string
}

/** The menu of proposals below the text. */
export class CompletionMenu {
  readonly #source: CompletionSource | undefined
  #word: Word | undefined
  #items: readonly CompletionItem[] = []
  #selected = 0
  /** The word for which the user has closed the menu. */
  #closedFor: string | undefined

  constructor(source: CompletionSource | undefined) {
    this.#source = source
  }

  get isOpen(): boolean {
    return this.#items.length > 0
  }

  get kind(): Word['kind'] | undefined {
    return this.isOpen ? this.#word?.kind : undefined
  }

  /** Call this after each change of the text or the caret. */
  update(text: string, caret: number): void {
    const word = this.#source === undefined ? undefined : findWord(text, caret)
    const isSameWord = word?.text === this.#word?.text && word?.start === this.#word?.start
    this.#word = word
    if (word === undefined || word.text === this.#closedFor) {
      this.#items = []
      if (word === undefined) this.#closedFor = undefined
      return
    }
    this.#closedFor = undefined
    if (!isSameWord) this.#selected = 0
    const items =
      word.kind === 'command' ? this.#source?.findCommands(word.text) : this.#source?.findFiles(word.text.slice(1))
    // A word that is complete needs no proposal.
    this.#items = items?.length === 1 && items[0]?.value === word.text ? [] : (items ?? [])
    this.#selected = Math.min(this.#selected, Math.max(0, this.#items.length - 1))
  }

  select(step: 1 | -1): void {
    this.#selected = (this.#selected + step + this.#items.length) % this.#items.length
  }

  /** Closes the menu and returns the replacement for the word. */
  accept(): { readonly start: number; readonly end: number; readonly text: string } | undefined {
    const item = this.#items[this.#selected]
    if (item === undefined || this.#word === undefined) return undefined
    const { start, text } = this.#word
    this.#items = []
    // After a folder, the completion continues with its files.
    return { start, end: start + text.length, text: item.value.endsWith('/') ? item.value : `${item.value} ` }
  }

  close(): void {
    this.#closedFor = this.#word?.text
    this.#items = []
  }

  render(width: number, maxRows: number): StyledLine[] {
    if (maxRows < 1) return []
    const count = this.#items.length
    const isCut = count > maxRows && maxRows > 1
    const shownCount = isCut ? maxRows - 1 : maxRows
    const firstIndex = Math.max(0, Math.min(this.#selected - Math.floor(shownCount / 2), count - shownCount))
    const items = this.#items.slice(firstIndex, firstIndex + shownCount)
    const position = `  ${this.#selected + 1} of ${count} · ↑ ↓ select · Tab completes`
    const rows = this.#renderItems(items, firstIndex)
    if (isCut) rows.push([{ text: position, style: { tone: 'muted' } }])
    return rows.map((row) => truncate(row, width))
  }

  #renderItems(items: readonly CompletionItem[], firstIndex: number): StyledLine[] {
    const valueWidth = Math.max(0, ...items.map(({ value }) => widthOf(value)))
    return items.map(({ value, description }, index): StyledLine => {
      const isSelected = firstIndex + index === this.#selected
      const padding = ' '.repeat(valueWidth - widthOf(value) + 2)
      const style = isSelected ? { style: { tone: 'accent', bold: true } as const } : {}
      return [
        { text: `${isSelected ? '❯ ' : '  '}${value}`, ...style },
        ...(description === undefined ? [] : [{ text: padding + description, style: { tone: 'muted' } as const }]),
      ]
    })
  }
}

/**
 * Returns the word at the caret that can be completed: a command, which is the first word of the text, or a file, which starts
 * with `@`.
 */
function findWord(text: string, caret: number): Word | undefined {
  const textBefore = text.slice(Math.max(0, caret - 512), caret)
  const command = caret < 512 ? /^\/[^\s/]*$/.exec(textBefore) : null
  if (command !== null) return { kind: 'command', start: 0, text: textBefore }
  const file = /(?:^|[\s(,])(@[^\s@]*)$/.exec(textBefore)?.[1]
  return file === undefined ? undefined : { kind: 'file', start: caret - file.length, text: file }
}
