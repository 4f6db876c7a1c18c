import { LineHighlighter } from './highlight.js'
import { indentLines, span, toPlainLine } from './plain-lines.js'
import { createCodeBlockLabels, type MarkdownOptions, renderMarkdownBlock } from './render-markdown-block.js'
import { softWrap } from './soft-wrap.js'
import type { StyledLine } from './styled-line.js'
import { wrapLines } from './wrap-lines.js'

export type { MarkdownOptions } from './render-markdown-block.js'

/** A block that grows beyond this is finished at the end of its line, so that redrawing it stays cheap. */
const MAX_BLOCK_CHARS = 8_000
/** Tables may be longer, because the widths of their columns depend on all rows. */
const MAX_TABLE_CHARS = 32_000
/** A line that has no end yet is finished at this length. */
const MAX_LINE_CHARS = 64_000

const FENCE = /^( *)((?:[-*+]|\d{1,9}[.)]) +)?(`{3,}|~{3,})/
const LIST_ITEM = /^ *(?:[-*+]|(\d{1,9})[.)])(?: +|$)/
const HEADING_OR_RULE = /^ {0,3}(?:#{1,6}(?: |$)|(?:[-*_] *){3,}$)/
const QUOTE = /^ {0,3}>/

interface OpenFence {
  readonly marker: string
  readonly indent: number
  readonly highlighter: LineHighlighter
  readonly end: StyledLine
}

/**
 * Draws Markdown while it arrives. Finished lines are returned once and never change. The cost of `push` depends on the
 * new text and the open block, not on the length of the whole text. A block ends with an empty line, or where the next
 * list item, heading or code block starts; lines of code are finished one by one.
 */
export class MarkdownStream {
  readonly #options: MarkdownOptions
  /** The start of a line whose end has not arrived. */
  #partialLine = ''
  #block: string[] = []
  #blockChars = 0
  #fence: OpenFence | undefined
  /** Whether indented text belongs to a list item instead of being code. */
  #isInList = false
  #needsEmptyLine = false
  #hasLines = false

  constructor(options: MarkdownOptions = {}) {
    this.#options = options
  }

  /** Adds the next chunk of text and returns the logical lines that are finished with it. */
  push(text: string): StyledLine[] {
    const finishedLines: StyledLine[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#addText(text.slice(start, end), finishedLines)
      this.#addLine(finishedLines)
      start = end + 1
    }
    this.#addText(text.slice(start), finishedLines)
    return finishedLines
  }

  /** Draws the block that is not finished, as rows of at most `width` columns. */
  renderOpenBlock(width: number): StyledLine[] {
    const partialLine = this.#partialLine.replace(/\r$/, '')
    if (this.#fence !== undefined) {
      return partialLine === '' ? [] : wrapLines([[span(toPlainLine(dedent(partialLine, this.#fence.indent)))]], width)
    }
    const source = partialLine === '' ? this.#block : [...this.#block, partialLine]
    if (source.length === 0) return []
    const emptyLine: StyledLine[] = this.#needsEmptyLine && this.#hasLines ? [[]] : []
    const lines = [...emptyLine, ...this.#render(source, width)]
    return this.#isSoftWrapped ? lines.flatMap((line) => softWrap(line, width).rows) : wrapLines(lines, width)
  }

  /** Whether the open block is soft-wrapped. Indented code is not: it is copied as it is. */
  get #isSoftWrapped(): boolean {
    const isCode = !this.#isInList && countIndent(this.#block[0] ?? this.#partialLine) >= 4
    return this.#options.isSoftWrapped === true && !isCode
  }

  /** Finishes the last block and returns its lines. The next text starts a new document. */
  end(): StyledLine[] {
    const finishedLines: StyledLine[] = []
    if (this.#partialLine !== '') this.#addLine(finishedLines)
    this.#finishBlock(finishedLines)
    if (this.#fence !== undefined) finishedLines.push(this.#fence.end)
    this.#fence = undefined
    this.#isInList = false
    this.#needsEmptyLine = false
    this.#hasLines = false
    return finishedLines
  }

  #addText(text: string, finishedLines: StyledLine[]): void {
    let remainingText = text
    while (this.#partialLine.length + remainingText.length > MAX_LINE_CHARS) {
      const length = MAX_LINE_CHARS - this.#partialLine.length
      this.#partialLine += remainingText.slice(0, length)
      remainingText = remainingText.slice(length)
      this.#addLine(finishedLines)
    }
    this.#partialLine += remainingText
  }

  #addLine(finishedLines: StyledLine[]): void {
    const line = this.#partialLine.replace(/\r$/, '')
    this.#partialLine = ''
    if (this.#fence !== undefined) this.#addCode(line, this.#fence, finishedLines)
    else if (line.trim() === '') {
      this.#finishBlock(finishedLines)
      this.#needsEmptyLine = this.#hasLines
    } else if (!this.#startFence(line, finishedLines)) this.#addBlockLine(line, finishedLines)
  }

  #addCode(line: string, fence: OpenFence, finishedLines: StyledLine[]): void {
    const trimmedLine = line.trim()
    if (trimmedLine.startsWith(fence.marker) && /^(?:`+|~+)$/.test(trimmedLine)) {
      this.#fence = undefined
      finishedLines.push(fence.end)
      return
    }
    const code = toPlainLine(dedent(line, fence.indent))
    finishedLines.push(...indentLines([code === '' ? [] : fence.highlighter.next(code)], fence.indent))
  }

  #startFence(line: string, finishedLines: StyledLine[]): boolean {
    const match = FENCE.exec(line)
    if (match === null) return false
    const [start, spaces = '', listMarker = '', marker = ''] = match
    const info = line.slice(start.length)
    if (info.includes('`')) return false
    const language = /^\s*(\S*)/.exec(info)?.[1] ?? ''
    this.#finishBlock(finishedLines)
    if (listMarker !== '') {
      this.#isInList = true
      this.#block = [spaces + listMarker]
      this.#finishBlock(finishedLines)
    } else this.#addEmptyLine(finishedLines)
    const indent = spaces.length + listMarker.length
    const labels = createCodeBlockLabels(language, this.#options)
    finishedLines.push(...indentLines([labels.start], indent))
    this.#hasLines = true
    const indentedEnd = indentLines([labels.end], indent)[0] ?? labels.end
    this.#fence = { marker, indent, highlighter: new LineHighlighter(language), end: indentedEnd }
    return true
  }

  #addBlockLine(line: string, finishedLines: StyledLine[]): void {
    const isListItem = this.#startsListItem(line)
    const isCompleteBlock = HEADING_OR_RULE.test(line) && !this.#mayUnderline(line)
    const isQuoteChange = this.#block.length > 0 && QUOTE.test(line) !== QUOTE.test(this.#block[0] ?? '')
    if (isListItem || isCompleteBlock || isQuoteChange) this.#finishBlock(finishedLines)
    if (isListItem) this.#isInList = true
    else if (this.#block.length === 0 && !line.startsWith(' ')) this.#isInList = false
    this.#block.push(line)
    this.#blockChars += line.length
    const maxChars = this.#block[1]?.includes('--') === true ? MAX_TABLE_CHARS : MAX_BLOCK_CHARS
    if (isCompleteBlock || this.#blockChars > maxChars) this.#finishBlock(finishedLines)
  }

  /**
   * Whether a line starts a list item. Within a paragraph, a numbered item starts a list only if its number is 1: a line may
   * start with a year.
   */
  #startsListItem(line: string): boolean {
    const match = LIST_ITEM.exec(line)
    if (match === null || HEADING_OR_RULE.test(line)) return false
    const isInParagraph = this.#block.length > 0 && !this.#isInList
    if (isInParagraph && QUOTE.test(this.#block[0] ?? '')) return true
    return !isInParagraph || match[1] === undefined || Number(match[1]) === 1
  }

  /** Whether a line may make the paragraph above it a heading, as a row of hyphens does. */
  #mayUnderline(line: string): boolean {
    return this.#block.length > 0 && !this.#isInList && /^ {0,3}-+ *$/.test(line)
  }

  #finishBlock(finishedLines: StyledLine[]): void {
    if (this.#block.length === 0) return
    this.#addEmptyLine(finishedLines)
    const { columns } = this.#options
    const lines = this.#render(this.#block, columns)
    const isWrapped = this.#isSoftWrapped && columns !== undefined
    finishedLines.push(...(isWrapped ? lines.map((line) => softWrap(line, columns).line) : lines))
    this.#hasLines = true
    this.#block = []
    this.#blockChars = 0
  }

  #addEmptyLine(finishedLines: StyledLine[]): void {
    if (this.#needsEmptyLine) finishedLines.push([])
    this.#needsEmptyLine = false
  }

  /** Draws a block. The parts of a list item are drawn as separate blocks, at their indentation. */
  #render(block: readonly string[], columns: number | undefined): StyledLine[] {
    const spaces = countIndent(block[0] ?? '')
    const indent = this.#isInList || spaces < 4 ? spaces : 0
    const source = block.map((line) => dedent(line, indent)).join('\n')
    const width = columns === undefined ? undefined : Math.max(1, columns - indent)
    return indentLines(renderMarkdownBlock(source, { ...this.#options, columns: width }), this.#isInList ? indent : 0)
  }
}

/** Draws a complete Markdown text. */
export function renderMarkdown(text: string, options: MarkdownOptions): StyledLine[] {
  const stream = new MarkdownStream(options)
  return [...stream.push(text), ...stream.end()]
}

/** Returns the languages of the code blocks in a text. */
export function languagesOfMarkdown(text: string): string[] {
  return [...text.matchAll(/^ *(?:(?:[-*+]|\d{1,9}[.)]) +)?(?:`{3,}|~{3,})[ \t]*([^`\s]+)/gm)].map(
    ([, language = '']) => language,
  )
}

function countIndent(line: string): number {
  return line.length - line.trimStart().length
}

/** Removes up to `columns` spaces at the start. */
function dedent(line: string, columns: number): string {
  return line.slice(Math.min(columns, countIndent(line)))
}
