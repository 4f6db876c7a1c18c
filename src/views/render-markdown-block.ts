import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { trimEnd } from '../shared/trim-end.js'
import { LineHighlighter } from './highlight.js'
import { joinLines, prefixLines, span, toPlainLines } from './plain-lines.js'
import { renderAsFields, renderTable } from './render-table.js'
import { type SpanStyle, type StyledLine, type StyledSpan, textOfLine } from './styled-line.js'
import { widthOf } from './text-width.js'

/** How Markdown is drawn. */
export interface MarkdownOptions {
  /** The width of the screen, for tables and soft wrapping. */
  readonly columns?: number | undefined
  /** Whether the terminal should wrap text between words, see `softWrap`. Code is not changed. */
  readonly isSoftWrapped?: boolean | undefined
  readonly isScreenReader?: boolean | undefined
}

/** Longer lines are drawn as plain text, because the time to parse emphasis grows with the square of the length. */
const MAX_LINE_CHARS = 4_000
/** Each level of a quotation is parsed again as a text of its own. */
const DEEP_QUOTE = /^(?: {0,3}>){20}/

/** Draws one block of Markdown, such as a paragraph, a list item or a table. Text that cannot be parsed stays as it is. */
export function renderMarkdownBlock(source: string, options: MarkdownOptions): StyledLine[] {
  if (source.split('\n').some((line) => line.length > MAX_LINE_CHARS || DEEP_QUOTE.test(line)))
    return renderPlain(source, undefined)
  try {
    return renderBlocks(new Lexer({ gfm: true }).lex(source), options)
  } catch {
    // Thousands of nested quotes exceed the stack.
    return renderPlain(source, undefined)
  }
}

const MUTED: SpanStyle = { tone: 'muted' }

function renderBlocks(tokens: readonly Token[], options: MarkdownOptions): StyledLine[] {
  return tokens.flatMap((token) => renderBlock(token as MarkedToken, options))
}

function renderBlock(token: MarkedToken, options: MarkdownOptions): StyledLine[] {
  switch (token.type) {
    case 'space':
      return []
    case 'hr':
      return [[span('---', MUTED)]]
    case 'heading':
      return renderHeading(token, options)
    case 'code':
      return renderCodeBlock(token, options)
    case 'blockquote':
      return renderQuote(token, options)
    case 'list':
      return token.items.flatMap((item, index) => renderItem(item, createMarker(token, index), options))
    case 'table':
      return renderMarkdownTable(token, options)
    case 'paragraph':
      return renderInline(token.tokens)
    case 'text':
      return renderInline(token.tokens ?? [token])
    case 'html':
    case 'def':
      return toPlainLines(token.raw.replace(/\n+$/, '')).map((text) => [span(text)])
    default:
      return renderInline([token])
  }
}

function renderHeading({ depth, tokens }: Tokens.Heading, { isScreenReader = false }: MarkdownOptions): StyledLine[] {
  const marker = isScreenReader ? `heading level ${depth}: ` : `${'#'.repeat(depth)} `
  return prefixLines(renderInline(tokens, { bold: true }), [span(marker, MUTED)], [])
}

/** Creates the lines before and after a code block: fences, or words for screen readers. */
export function createCodeBlockLabels(
  language: string | undefined,
  { isScreenReader = false }: MarkdownOptions,
): { readonly start: StyledLine; readonly end: StyledLine } {
  const name = toPlainLines(language ?? '').join(' ')
  if (!isScreenReader) return { start: [span(`\`\`\`${name}`, MUTED)], end: [span('```', MUTED)] }
  return { start: [span(name === '' ? 'code:' : `code, ${name}:`)], end: [span('end of code')] }
}

function renderCodeBlock({ lang, text }: Tokens.Code, options: MarkdownOptions): StyledLine[] {
  const { start, end } = createCodeBlockLabels(lang, options)
  const highlighter = new LineHighlighter(lang)
  return [start, ...toPlainLines(trimEnd(text, '\n')).map((line) => highlighter.next(line)), end]
}

function renderQuote({ tokens }: Tokens.Blockquote, options: MarkdownOptions): StyledLine[] {
  const text = options.isScreenReader === true ? 'quote: ' : '> '
  const bar: StyledSpan = { text, style: MUTED, prefix: 'repeat' }
  return prefixLines(renderBlocks(tokens, withFewerColumns(options, widthOf(text))), [bar], [bar])
}

function createMarker({ ordered, start, items }: Tokens.List, index: number): string {
  if (!ordered) return '• '
  const firstNumber = start === '' ? 1 : start
  return `${firstNumber + index}. `.padStart(String(firstNumber + items.length - 1).length + 2)
}

function renderItem(item: Tokens.ListItem, marker: string, options: MarkdownOptions): StyledLine[] {
  const shownMarker = options.isScreenReader === true ? marker.replace('•', '-') : marker
  const state = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : ''
  const tokens = item.tokens.filter(({ type }) => type !== 'checkbox')
  const lines = renderBlocks(tokens, withFewerColumns(options, widthOf(marker)))
  // The box of a task takes the place of the bullet.
  const isBoxed = item.task && marker === '• '
  const markerSpan: StyledSpan = { text: isBoxed ? state : shownMarker + state, style: MUTED, prefix: 'space' }
  const indent: StyledSpan = { text: ' '.repeat(widthOf(marker)), prefix: 'space' }
  return prefixLines(lines.length === 0 ? [[]] : lines, [markerSpan], [indent])
}

function renderMarkdownTable({ header, rows }: Tokens.Table, options: MarkdownOptions): StyledLine[] {
  const cells = {
    titles: header.map(({ tokens }) => joinIntoOneLine(renderInline(tokens, { bold: true }))),
    rows: rows.map((row) => row.map(({ tokens }) => renderInline(tokens))),
  }
  return options.isScreenReader === true ? renderAsFields(cells) : renderTable(cells, options.columns)
}

function joinIntoOneLine(lines: readonly StyledLine[]): StyledLine {
  return lines.flatMap((line, index) => (index === 0 ? line : [span(' '), ...line]))
}

function withFewerColumns(options: MarkdownOptions, columns: number): MarkdownOptions {
  return options.columns === undefined ? options : { ...options, columns: Math.max(1, options.columns - columns) }
}

/** Draws inline tokens. Line breaks are kept as written. */
function renderInline(tokens: readonly Token[], style?: SpanStyle): StyledLine[] {
  return joinLines(tokens.map((token) => renderInlineToken(token as MarkedToken, style)))
}

function renderInlineToken(token: MarkedToken, style: SpanStyle | undefined): StyledLine[] {
  switch (token.type) {
    case 'strong':
      return renderInline(token.tokens, { ...style, bold: true })
    case 'em':
      return renderInline(token.tokens, { ...style, italic: true })
    case 'del':
      return renderInline(token.tokens, { ...style, strikethrough: true })
    case 'codespan':
      return renderPlain(token.text, { ...style, tone: 'accent' })
    case 'link':
      return renderAddress(renderInline(token.tokens, createLinkStyle(style, token.href)), token.href)
    case 'image':
      return renderAddress(renderPlain(`[image: ${token.text}]`, createLinkStyle(style, token.href)), token.href)
    case 'br':
      return [[], []]
    case 'text':
      return token.tokens === undefined ? renderPlain(token.text, style) : renderInline(token.tokens, style)
    case 'escape':
      return renderPlain(token.text, style)
    default:
      return renderPlain(token.raw, style)
  }
}

function renderPlain(text: string, style: SpanStyle | undefined): StyledLine[] {
  return toPlainLines(text).map((line) => (line === '' ? [] : [span(line, style)]))
}

function createLinkStyle(style: SpanStyle | undefined, href: string): SpanStyle {
  return { ...style, tone: 'accent', underline: true, href }
}

/** Puts the address after the text, so that users see where a link leads before they open it. */
function renderAddress(lines: readonly StyledLine[], href: string): StyledLine[] {
  const text = lines.map(textOfLine).join(' ')
  const address = toPlainLines(href).join(' ')
  if (text === address || `mailto:${text}` === address || address === '') return [...lines]
  return joinLines([lines, [[span(` (${address})`, MUTED)]]])
}
