import { splitGraphemes } from '../shared/graphemes.js'
import type { StyledLine, StyledSpan } from './styled-line.js'
import { widthOf, widthOfLine } from './text-width.js'

/** A logical line that a terminal wraps between words, and the rows in which the terminal shows it. */
export interface SoftWrappedLine {
  readonly line: StyledLine
  readonly rows: readonly StyledLine[]
}

/**
 * Adds spaces to a logical line where a terminal with `width` columns should wrap it: before a word that does not fit, up
 * to the right margin, and as wide as the prefix of the line at the start of the next row. It stays one line for the
 * terminal, so a copy has more spaces at some places but no line breaks. Words that are longer than a row stay whole.
 */
export function softWrap(line: StyledLine, width: number): SoftWrappedLine {
  if (widthOfLine(line) <= width) return { line, rows: [line] }
  const prefixEnd = line.findIndex(({ prefix }) => prefix === undefined)
  const prefix = line.slice(0, Math.max(0, prefixEnd))
  const prefixWidth = widthOfLine(prefix)
  const wrapping = new Wrapping(width, prefixWidth * 2 > width ? 0 : prefixWidth)
  for (const span of prefix) wrapping.append(span)
  const words = splitIntoWords(line.slice(prefix.length))
  for (const [index, word] of words.entries()) wrapping.add(word, index === words.length - 1)
  return wrapping.end()
}

/** A word, which may have several styles, or the spaces between two words. */
interface Word {
  readonly spans: StyledSpan[]
  readonly isSpace: boolean
}

function splitIntoWords(line: StyledLine): Word[] {
  const words: Word[] = []
  for (const span of line)
    for (const text of span.text.match(/ +|[^ ]+/g) ?? []) {
      const isSpace = text.startsWith(' ')
      const lastWord = words.at(-1)
      if (lastWord?.isSpace === isSpace) lastWord.spans.push({ ...span, text })
      else words.push({ spans: [{ ...span, text }], isSpace })
    }
  return words
}

class Wrapping {
  readonly #width: number
  /** The width of the spaces at the start of rows that continue the line. */
  readonly #indent: number
  readonly #line: StyledSpan[] = []
  readonly #rows: StyledSpan[][] = [[]]
  #column = 0

  constructor(width: number, indent: number) {
    this.#width = width
    this.#indent = indent
  }

  add({ spans, isSpace }: Word, isLast: boolean): void {
    const wordWidth = widthOfLine(spans)
    // A space follows each word but the last, so that words are not joined in a copy.
    const maxColumn = isLast ? this.#width : this.#width - 1
    const isTooLong = this.#column + wordWidth > maxColumn
    if (isTooLong && !isSpace && this.#column > this.#indent && this.#indent + wordWidth <= maxColumn) this.#startRow()
    if (this.#column + wordWidth <= this.#width) for (const span of spans) this.append(span)
    else if (isSpace) this.append({ text: ' '.repeat(Math.max(1, this.#width - this.#column)) })
    else for (const span of spans) this.#appendBroken(span)
  }

  append(span: StyledSpan): void {
    this.#line.push(span)
    if (this.#column >= this.#width) {
      this.#rows.push([])
      this.#column = 0
    }
    this.#rows.at(-1)?.push(span)
    this.#column += widthOf(span.text)
  }

  end(): SoftWrappedLine {
    return { line: this.#line, rows: this.#rows }
  }

  #startRow(): void {
    const padding = ' '.repeat(this.#width - this.#column)
    const indent = ' '.repeat(this.#indent)
    this.#line.push({ text: padding + indent })
    this.#rows.push(indent === '' ? [] : [{ text: indent, prefix: 'space' }])
    this.#column = this.#indent
  }

  /** Appends a long word, which the terminal breaks at the margin. No space may be added there. */
  #appendBroken(span: StyledSpan): void {
    let part = ''
    for (const grapheme of splitGraphemes(span.text)) {
      const columns = widthOf(grapheme)
      if (this.#column + widthOf(part) + columns > this.#width) {
        if (part !== '') this.append({ ...span, text: part })
        part = ''
        this.#rows.push([])
        this.#column = 0
      }
      part += grapheme
    }
    if (part !== '') this.append({ ...span, text: part })
  }
}
