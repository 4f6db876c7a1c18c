import type { StyledLine, StyledSpan } from '../../views/styled-line.js'
import { textOfLine } from '../../views/styled-line.js'
import { truncate } from '../../views/text-width.js'
import { createMutedSpan } from '../blocks/format.js'
import { isControl, isKey } from '../dialogs/dialog.js'
import type { InputEvent } from '../input/input-event.js'
import type { AlternateScreen, Screen } from '../screen/screen.js'
import type { FullScreenView, PromptScreen } from './prompt-screen.js'

/** A part of a long text, rendered only while it is visible. */
export interface PagerBlock {
  /** Returns rows of at most `width` columns. */
  render(width: number, isExpanded: boolean): readonly StyledLine[]
  /** Whether the block shows more when it is expanded. */
  readonly isExpandable: boolean
  /** The text to search, in lower case. */
  readonly searchText: string
  /** The text that the key `y` copies to the clipboard. */
  readonly text: string
}

export interface PagerOptions {
  readonly title: string
  readonly blocks: readonly PagerBlock[]
  readonly startsAtEnd: boolean
}

interface Position {
  readonly block: number
  readonly row: number
}

/**
 * Shows a long text on the alternate screen, with search and expandable blocks. Only visible blocks are rendered, so
 * the cost does not depend on the length of the text.
 */
export class Pager implements FullScreenView {
  readonly #screen: Screen
  readonly #alternate: AlternateScreen
  readonly #title: string
  readonly #blocks: readonly PagerBlock[]
  readonly #release: () => void
  /** The blocks whose state differs from `#isAllExpanded`. */
  readonly #toggledBlocks = new Set<number>()
  readonly #cache = new Map<number, { readonly width: number; readonly rows: readonly StyledLine[] }>()
  #top: Position
  #query = ''
  #typedQuery: string | undefined
  #note = ''
  #isAllExpanded = false

  constructor(prompt: PromptScreen, options: PagerOptions) {
    this.#screen = prompt.screen
    this.#title = options.title
    this.#blocks = options.blocks
    this.#alternate = prompt.screen.enterAlternate()
    this.#top = { block: 0, row: 0 }
    if (options.startsAtEnd) this.#top = this.#endPosition()
    this.#release = prompt.showView(this)
    this.draw()
  }

  #close(): void {
    this.#alternate.close()
    this.#release()
  }

  handle(event: InputEvent): void {
    if (event.type !== 'key') return
    this.#note = ''
    if (this.#typedQuery !== undefined) this.#editQuery(event)
    else if (isKey(event, 'q') || isKey(event, 'escape') || isControl(event, 'c') || isControl(event, 'o')) {
      this.#close()
      return
    } else this.#handleKey(event)
    this.draw()
  }

  draw(): void {
    const { columns, rows } = this.#screen
    const lines = this.#visibleRows(rows - 1).map((row) => truncate(highlight(row, this.#query), columns))
    while (lines.length < rows - 1) lines.push([createMutedSpan('~')])
    const isTyping = this.#typedQuery !== undefined
    const keys = 'q close · / search · n N · ↑↓ PgUp PgDn · e expand · E all · y copy'
    const title = this.#query === '' ? this.#title : `${this.#title} · "${this.#query}"`
    const status = isTyping ? `/${this.#typedQuery}` : this.#note === '' ? `${title} · ${keys}` : this.#note
    const row = truncate([{ text: status, style: isTyping ? {} : { inverse: true } }], columns)
    const cursor = isTyping ? { cursor: { row: rows - 1, column: Math.min(columns - 1, status.length) } } : {}
    this.#alternate.draw({ lines: [...lines, row], ...cursor })
  }

  #handleKey(event: Extract<InputEvent, { type: 'key' }>): void {
    const page = Math.max(1, this.#screen.rows - 3)
    const actions: Readonly<Record<string, () => void>> = {
      up: () => this.#move(-1),
      k: () => this.#move(-1),
      down: () => this.#move(1),
      j: () => this.#move(1),
      pageup: () => this.#move(-page),
      pagedown: () => this.#move(page),
      space: () => this.#move(page),
      home: () => this.#moveTo({ block: 0, row: 0 }),
      end: () => this.#moveTo(this.#endPosition()),
      '/': () => this.#startQuery(),
      e: () => this.#toggle(),
      enter: () => this.#toggle(),
      y: () => this.#copy(),
    }
    const key = event.text ?? event.key
    if (key === 'g') this.#moveTo({ block: 0, row: 0 })
    else if (key === 'G') this.#moveTo(this.#endPosition())
    else if (key === 'n') this.#search(1)
    else if (key === 'N') this.#search(-1)
    else if (key === 'E') this.#toggleAll()
    else actions[event.key]?.()
  }

  #startQuery(): void {
    this.#typedQuery = ''
  }

  #editQuery(event: Extract<InputEvent, { type: 'key' }>): void {
    const query = this.#typedQuery ?? ''
    if (isKey(event, 'escape') || isControl(event, 'c')) this.#typedQuery = undefined
    else if (isKey(event, 'enter')) {
      this.#typedQuery = undefined
      this.#query = query.toLowerCase()
      this.#search(1, { fromHere: true })
    } else if (isKey(event, 'backspace')) this.#typedQuery = query.slice(0, -1)
    else if (event.text !== undefined && !event.ctrl) this.#typedQuery = query + event.text
  }

  /** Moves to the next match in the given direction, starting over at the other end. */
  #search(direction: 1 | -1, { fromHere = false } = {}): void {
    if (this.#query === '') return
    const matchInTopBlock = this.#findInBlock(this.#top.block, this.#top.row + (fromHere ? 0 : direction), direction)
    if (matchInTopBlock !== undefined) {
      this.#moveTo(matchInTopBlock)
      return
    }
    for (let step = 1; step <= this.#blocks.length; step++) {
      const block = (this.#top.block + direction * step + this.#blocks.length * step) % this.#blocks.length
      if (this.#blocks[block]?.searchText.includes(this.#query) !== true) continue
      if (this.#blocks[block]?.isExpandable === true) this.#expand(block)
      const match = this.#findInBlock(block, direction === 1 ? 0 : Number.MAX_SAFE_INTEGER, direction)
      this.#moveTo(match ?? { block, row: 0 })
      return
    }
    this.#note = `"${this.#query}" was not found`
  }

  #findInBlock(block: number, start: number, direction: 1 | -1): Position | undefined {
    const rows = this.#rowsOf(block)
    for (let row = Math.min(start, rows.length - 1); row >= 0 && row < rows.length; row += direction) {
      if (start > row && direction === 1) return undefined
      if (
        textOfLine(rows[row] ?? [])
          .toLowerCase()
          .includes(this.#query)
      )
        return { block, row }
    }
    return undefined
  }

  /** Expands or collapses the first expandable block at or below the top of the screen. */
  #toggle(): void {
    const { block: top } = this.#top
    const block = this.#blocks.findIndex(({ isExpandable }, index) => index >= top && isExpandable)
    if (block === -1) return
    this.#toggleBlock(block)
    this.#moveTo({ block, row: 0 })
  }

  #toggleAll(): void {
    this.#isAllExpanded = !this.#isAllExpanded
    this.#toggledBlocks.clear()
    this.#cache.clear()
    this.#moveTo({ block: this.#top.block, row: 0 })
  }

  #expand(block: number): void {
    if (!this.#isExpanded(block)) this.#toggleBlock(block)
  }

  #toggleBlock(block: number): void {
    if (!this.#toggledBlocks.delete(block)) this.#toggledBlocks.add(block)
    this.#cache.delete(block)
  }

  #isExpanded(block: number): boolean {
    return this.#toggledBlocks.has(block) !== this.#isAllExpanded
  }

  #copy(): void {
    const text = this.#blocks[this.#top.block]?.text ?? ''
    this.#screen.copy(text)
    this.#note = `Copied ${text.length} characters`
  }

  #rowsOf(block: number): readonly StyledLine[] {
    const width = this.#screen.columns
    const cachedBlock = this.#cache.get(block)
    if (cachedBlock?.width === width) return cachedBlock.rows
    const rows = this.#blocks[block]?.render(width, this.#isExpanded(block)) ?? []
    this.#cache.set(block, { width, rows })
    return rows
  }

  #visibleRows(count: number): StyledLine[] {
    const rows: StyledLine[] = []
    for (let { block, row } = this.#top; block < this.#blocks.length && rows.length < count; block++, row = 0)
      rows.push(...this.#rowsOf(block).slice(row, row + count - rows.length))
    return rows
  }

  /** Returns the scroll position that shows the end of the text. */
  #endPosition(): Position {
    const lastBlock = this.#blocks.length - 1
    if (lastBlock < 0) return { block: 0, row: 0 }
    return this.#shift({ block: lastBlock, row: this.#rowsOf(lastBlock).length }, -(this.#screen.rows - 1))
  }

  #moveTo(position: Position): void {
    this.#top = position
  }

  #move(count: number): void {
    const end = this.#endPosition()
    const newTop = this.#shift(this.#top, count)
    const isPastEnd = newTop.block > end.block || (newTop.block === end.block && newTop.row > end.row)
    this.#top = isPastEnd && count > 0 ? end : newTop
  }

  #shift({ block, row }: Position, count: number): Position {
    let position = row + count
    let index = block
    while (position < 0 && index > 0) position += this.#rowsOf(--index).length
    while (index < this.#blocks.length - 1 && position >= this.#rowsOf(index).length)
      position -= this.#rowsOf(index++).length
    return { block: index, row: Math.max(0, position) }
  }
}

/** Inverts the colours of a text, given in lower case, wherever it occurs. */
function highlight(line: StyledLine, query: string): StyledLine {
  const text = textOfLine(line).toLowerCase()
  // Some characters have a lower case of another length, which would shift what is highlighted.
  if (query === '' || !text.includes(query) || text.length !== textOfLine(line).length) return line
  const spans: StyledSpan[] = []
  let spanStart = 0
  for (const span of line) {
    const spanEnd = spanStart + span.text.length
    for (let start = spanStart; start < spanEnd; ) {
      const match = findMatch(text, query, start)
      const isInside = match <= start
      const end = Math.min(spanEnd, isInside ? match + query.length : match)
      const style = isInside ? { ...span.style, inverse: true } : span.style
      spans.push({ ...span, text: span.text.slice(start - spanStart, end - spanStart), ...(style && { style }) })
      start = end
    }
    spanStart = spanEnd
  }
  return spans
}

/** The start of the first match that ends after `position`; the end of the text if there is none. */
function findMatch(text: string, query: string, position: number): number {
  const match = text.indexOf(query, Math.max(0, position - query.length + 1))
  return match === -1 ? text.length : match
}
