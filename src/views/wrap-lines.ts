import { splitGraphemes } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'
import { widthOf, widthOfLine } from './text-width.js'

/** Replaces a wide character if the whole row has only one column for text. */
const WIDE_CHARACTER_SUBSTITUTE = '…'

/**
 * Breaks lines into rows of at most `width` columns: between words if possible, never inside a character. Rows after the
 * first start with the prefix of their line.
 */
export function wrapLines(lines: readonly StyledLine[], width: number): StyledLine[] {
  return lines.flatMap((line) => wrapLine(line, Math.max(1, width)))
}

function wrapLine(line: StyledLine, width: number): StyledLine[] {
  if (widthOfLine(line) <= width) return [line]
  const { prefix, text } = splitPrefix(line, width)
  const rows = new RowBuilder(prefix, width)
  for (const span of text) {
    // Breaks are possible after spaces, so the text is split into words with the spaces after them.
    for (const word of span.text.match(/[^ ]* +|[^ ]+/g) ?? []) rows.add({ ...span, text: word })
  }
  return rows.end()
}

/** Splits off the prefix of a line. A prefix that would take more than half of the row is treated as text. */
function splitPrefix(line: StyledLine, width: number): { prefix: StyledLine; text: StyledLine } {
  const textIndex = line.findIndex(({ prefix }) => prefix === undefined)
  const count = textIndex === -1 ? line.length : textIndex
  const prefix = line.slice(0, count)
  return widthOfLine(prefix) * 2 > width ? { prefix: [], text: line } : { prefix, text: line.slice(count) }
}

/** Removes spaces at the end. Unlike `trimEnd`, this keeps other white space, at which lines are not broken. */
function trimSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}

function withoutTrailingSpaces(row: StyledSpan[]): StyledSpan[] {
  const lastSpan = row.at(-1)
  if (lastSpan === undefined || lastSpan.prefix !== undefined || !lastSpan.text.endsWith(' ')) return row
  const text = trimSpaces(lastSpan.text)
  return text === '' ? withoutTrailingSpaces(row.slice(0, -1)) : [...row.slice(0, -1), { ...lastSpan, text }]
}

/**
 * Yields the graphemes of a text with their widths. One that is wider than a row is split into code points, and a code point
 * that is too wide becomes an ellipsis.
 */
function* fittingCharacters(text: string, maxColumns: number): Iterable<{ character: string; columns: number }> {
  for (const grapheme of splitGraphemes(text)) {
    const columns = widthOf(grapheme)
    if (columns <= maxColumns) yield { character: grapheme, columns }
    else
      for (const codePoint of grapheme) {
        const character = widthOf(codePoint) <= maxColumns ? codePoint : WIDE_CHARACTER_SUBSTITUTE
        yield { character, columns: widthOf(character) }
      }
  }
}

class RowBuilder {
  readonly #rows: StyledSpan[][] = []
  readonly #nextPrefix: StyledLine
  readonly #width: number
  #row: StyledSpan[]
  #usedColumns: number
  /** Whether the row has more than its prefix. */
  #hasText = false

  constructor(prefix: StyledLine, width: number) {
    this.#row = [...prefix]
    this.#usedColumns = widthOfLine(prefix)
    this.#nextPrefix = prefix.map((span) =>
      span.prefix === 'repeat' ? span : { text: ' '.repeat(widthOf(span.text)), prefix: 'space' },
    )
    this.#width = width
  }

  add(wordSpan: StyledSpan): void {
    const word = trimSpaces(wordSpan.text)
    const wordWidth = widthOf(word)
    const maxColumns = this.#width - widthOfLine(this.#nextPrefix)
    if (this.#usedColumns + wordWidth > this.#width && this.#hasText && wordWidth <= maxColumns) this.#startRow()
    if (this.#usedColumns + wordWidth <= this.#width) this.#append(wordSpan, wordWidth)
    else this.#addBroken(wordSpan)
  }

  end(): StyledLine[] {
    if (this.#hasText || this.#rows.length === 0) this.#rows.push(this.#row)
    return this.#rows
  }

  /** Appends a word. Spaces that do not fit are dropped, because the row ends there. */
  #append(wordSpan: StyledSpan, wordWidth: number): void {
    const word = trimSpaces(wordSpan.text)
    const spaces = Math.min(wordSpan.text.length - word.length, this.#width - this.#usedColumns - wordWidth)
    const text = word + ' '.repeat(spaces)
    if (text === '') return
    this.#row.push({ ...wordSpan, text })
    this.#usedColumns += wordWidth + spaces
    this.#hasText = true
  }

  /** Adds a word that is longer than a row, broken between characters. */
  #addBroken(wordSpan: StyledSpan): void {
    let part = ''
    let partWidth = 0
    const flush = () => {
      if (part !== '') this.#row.push({ ...wordSpan, text: part })
      this.#usedColumns += partWidth
      if (part !== '') this.#hasText = true
      part = ''
      partWidth = 0
    }
    const maxColumns = this.#width - widthOfLine(this.#nextPrefix)
    for (const { character, columns } of fittingCharacters(wordSpan.text, maxColumns)) {
      if (this.#usedColumns + partWidth + columns > this.#width) {
        flush()
        this.#startRow()
      }
      part += character
      partWidth += columns
    }
    flush()
  }

  #startRow(): void {
    this.#rows.push(withoutTrailingSpaces(this.#row))
    this.#row = [...this.#nextPrefix]
    this.#usedColumns = widthOfLine(this.#nextPrefix)
    this.#hasText = false
  }
}
