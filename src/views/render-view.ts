import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CodeView, LinkView, TextView, View, ViewNode } from '../contract/views.js'
import { cutText } from '../shared/cut-text.js'
import { toRelativePath } from '../shared/path-containment.js'
import { LineHighlighter, loadLanguages } from './highlight.js'
import { languagesOfMarkdown, renderMarkdown } from './markdown-stream.js'
import { indentLines, joinLines, prefixLines, span, toPlainLines } from './plain-lines.js'
import { formatProgress, isViewList } from './plain-text.js'
import { describeDiff, renderDiff } from './render-diff.js'
import { renderAsFields, renderField, renderTable } from './render-table.js'
import type { SpanStyle, StyledLine, StyledSpan } from './styled-line.js'
import { widthOf } from './text-width.js'
import { wrapLines } from './wrap-lines.js'

/** How a view is drawn. */
export interface RenderOptions {
  /**
   * The maximum number of columns of a row. Without it, the lines are logical lines of any length, which the terminal
   * wraps.
   */
  readonly width?: number | undefined
  /** The width of the screen, for tables in logical lines: the terminal must not wrap them. */
  readonly columns?: number | undefined
  /** Whether the content of collapsible parts is shown. */
  readonly verbose: boolean
  /** Whether labels are used instead of signs and columns, whose meaning depends on their position or appearance. */
  readonly isScreenReader?: boolean | undefined
  /** The folder against which relative link targets are resolved. Paths inside it are shown relative to it. */
  readonly cwd?: string | undefined
}

/** Draws a view as lines of text without control characters. */
export function renderView(view: View, options: RenderOptions): StyledLine[] {
  const tableWidth = options.width ?? options.columns
  const budget = new DrawingBudget()
  const drawnLines = render(view, { ...options, tableWidth, budget })
  const lines = budget.isExceeded ? [...drawnLines, CUT_NOTE] : drawnLines
  return options.width === undefined ? lines : wrapLines(lines, options.width)
}

/** About 30 ms of work. A view is drawn at once, and nobody reads a longer one. */
const MAX_DRAWN_CHARS = 200_000
/** Drawing a part of a view takes as long as drawing this much text. */
const CHARS_PER_PART = 40
/** Longer Markdown is drawn as plain text from here on, because parsing it takes longer than drawing it. */
const MAX_MARKDOWN_CHARS = 20_000
const MAX_MARKDOWN_LINES = 500
const CUT_NOTE: StyledLine = [{ text: '… too long to be shown completely', style: { tone: 'muted' } }]

/** Counts what is drawn of a view, so that drawing a huge one does not block the event loop. */
class DrawingBudget {
  #remainingChars = MAX_DRAWN_CHARS
  isExceeded = false

  /** Whether another part can be drawn. */
  takePart(): boolean {
    this.#remainingChars -= CHARS_PER_PART
    if (this.#remainingChars < 0) this.isExceeded = true
    return !this.isExceeded
  }

  /** Returns the start of the text that can be drawn. */
  takeText(text: string): string {
    const { length, cost } = findStartWithin(text, Math.max(0, this.#remainingChars))
    this.#remainingChars -= cost
    if (length === text.length) return text
    this.isExceeded = true
    return cutText(text, length)
  }
}

/** The columns of other characters than plain ASCII are measured one by one, and control characters are escaped. */
const COST_OF_OTHER_CHARACTER = 8
const OTHER_CHARACTERS = /[^\t\n\r -~]+/g

/** Finds the start of the text that can be drawn for this cost. */
function findStartWithin(text: string, maxCost: number): { readonly length: number; readonly cost: number } {
  let cost = 0
  let length = 0
  for (const { 0: run, index } of text.slice(0, maxCost).matchAll(OTHER_CHARACTERS)) {
    if (cost + index - length >= maxCost) break
    cost += index - length
    const count = Math.min(run.length, Math.floor((maxCost - cost) / COST_OF_OTHER_CHARACTER))
    cost += count * COST_OF_OTHER_CHARACTER
    length = index + count
    if (count < run.length) return { length, cost }
  }
  const plainCount = Math.min(text.length - length, maxCost - cost)
  return { length: length + plainCount, cost: cost + plainCount }
}

/** Loads the languages that the view needs, so that it is highlighted from the start. */
export async function prepareView(view: View): Promise<void> {
  await loadLanguages(languagesOf(view))
}

interface DrawingOptions extends RenderOptions {
  readonly tableWidth: number | undefined
  readonly budget: DrawingBudget
}

function render(view: View, drawing: DrawingOptions): StyledLine[] {
  if (!drawing.budget.takePart()) return []
  if (typeof view === 'string') return renderText({ type: 'text', text: view }, drawing)
  if (isViewList(view)) return joinLines(view.map((child) => render(child, drawing)))
  try {
    return renderNode(view, drawing)
  } catch {
    // A tool written without TypeScript may return anything, and a view must not break the screen.
    return [[span('[a view that cannot be drawn]', { tone: 'muted' })]]
  }
}

function renderNode(node: ViewNode, drawing: DrawingOptions): StyledLine[] {
  const { isScreenReader = false, verbose } = drawing
  switch (node.type) {
    case 'text':
      return renderText(node, drawing)
    case 'markdown':
      return renderMarkdownText(node.text, drawing)
    case 'code':
      return renderCode({ ...node, text: drawing.budget.takeText(node.text) })
    case 'diff':
      return isScreenReader ? describeDiff(node) : renderDiff(node)
    case 'list':
      return renderList(node, drawing)
    case 'table':
      return renderTableView(node, drawing)
    case 'fields':
      return node.fields.flatMap(({ label, value }) =>
        drawing.budget.isExceeded
          ? []
          : renderField([span(toPlainLines(label).join(' '))], render(value, withFewerColumns(drawing, 2))),
      )
    case 'progress':
      return toPlainLines(formatProgress(node)).map((line) => [span(line)])
    case 'image':
      return [[span(`[image: ${toPlainLines(node.alt).join(' ')}]`, { tone: 'muted' })]]
    case 'link':
      return renderLink(node, drawing)
    case 'group': {
      const parts = node.children.map((child) => render(child, drawing))
      return node.layout === 'inline' ? joinLines(parts) : parts.flat()
    }
    case 'collapsible': {
      const summary = render(node.summary, drawing)
      return verbose ? [...summary, ...indentLines(render(node.content, withFewerColumns(drawing, 2)), 2)] : summary
    }
    default:
      throw new TypeError('unknown type of view')
  }
}

function withFewerColumns(drawing: DrawingOptions, columns: number): DrawingOptions {
  return {
    ...drawing,
    tableWidth: drawing.tableWidth === undefined ? undefined : Math.max(1, drawing.tableWidth - columns),
  }
}

function renderMarkdownText(text: string, drawing: DrawingOptions): StyledLine[] {
  const { tableWidth: columns, isScreenReader, budget } = drawing
  const shownText = budget.takeText(text)
  const lineEnd = findMarkdownEnd(shownText)
  if (lineEnd === shownText.length) return renderMarkdown(shownText, { columns, isScreenReader })
  if (lineEnd === -1) return toPlainLines(shownText).map((line) => [span(line)])
  return [
    ...renderMarkdown(shownText.slice(0, lineEnd), { columns, isScreenReader }),
    ...toPlainLines(shownText.slice(lineEnd + 1)).map((line) => (line === '' ? [] : [span(line)])),
  ]
}

/** Returns the end of the last line that is drawn as Markdown; -1 if there is none. */
function findMarkdownEnd(text: string): number {
  let lineEnd = -1
  for (let count = 0; count < MAX_MARKDOWN_LINES; count++) {
    const nextEnd = text.indexOf('\n', lineEnd + 1)
    if ((nextEnd === -1 ? text.length : nextEnd) > MAX_MARKDOWN_CHARS) return lineEnd
    if (nextEnd === -1) return text.length
    lineEnd = nextEnd
  }
  return lineEnd
}

function renderText({ text, tone, bold, italic, strikethrough }: TextView, { budget }: DrawingOptions): StyledLine[] {
  const style: SpanStyle = {
    ...(tone !== undefined && tone !== 'default' && { tone }),
    ...(bold === true && { bold }),
    ...(italic === true && { italic }),
    ...(strikethrough === true && { strikethrough }),
  }
  const hasStyle = Object.keys(style).length > 0
  return toPlainLines(budget.takeText(text)).map((line) =>
    line === '' ? [] : [hasStyle ? span(line, style) : span(line)],
  )
}

function renderCode({ text, language, firstLine }: CodeView): StyledLine[] {
  const highlighter = new LineHighlighter(language)
  const lines = toPlainLines(text)
  const gutterWidth = firstLine === undefined ? 0 : String(firstLine + lines.length - 1).length
  return lines.map((line, index) => {
    const spans = line === '' ? [] : highlighter.next(line)
    if (firstLine === undefined) return spans
    const number = String(firstLine + index).padStart(gutterWidth)
    return [{ text: `${number}  `, style: { tone: 'muted' }, prefix: 'space' } satisfies StyledSpan, ...spans]
  })
}

function renderList(
  { items, isOrdered = false }: Extract<ViewNode, { type: 'list' }>,
  drawing: DrawingOptions,
): StyledLine[] {
  const markerWidth = isOrdered ? String(items.length).length + 2 : 2
  const bullet = drawing.isScreenReader === true ? '- ' : '• '
  return items.flatMap((item, index) => {
    if (drawing.budget.isExceeded) return []
    const marker = isOrdered ? `${index + 1}. `.padStart(markerWidth) : bullet
    const markerSpan: StyledSpan = { text: marker, style: { tone: 'muted' }, prefix: 'space' }
    const indent: StyledSpan = { text: ' '.repeat(widthOf(marker)), prefix: 'space' }
    return prefixLines(render(item, withFewerColumns(drawing, markerWidth)), [markerSpan], [indent])
  })
}

function renderTableView(
  { columns, rows }: Extract<ViewNode, { type: 'table' }>,
  drawing: DrawingOptions,
): StyledLine[] {
  const cells = {
    titles: columns.map((title) => [span(toPlainLines(title).join(' '), { bold: true })]),
    rows: rows.flatMap((row) => (drawing.budget.isExceeded ? [] : [row.map((cell) => render(cell, drawing))])),
  }
  return drawing.isScreenReader === true ? renderAsFields(cells) : renderTable(cells, drawing.tableWidth)
}

function renderLink({ text, href, line }: LinkView, { isScreenReader = false, cwd }: DrawingOptions): StyledLine[] {
  const isFile = href.startsWith('file:')
  const shownText = toPlainLines(isFile ? shortenPath(text, cwd) : text).join(' ')
  const address = isFile ? createFileUrl(href, line, cwd) : href
  const style: SpanStyle = {
    ...(isFile ? { tone: 'path' } : { tone: 'accent', underline: true }),
    ...(address !== undefined && { href: address }),
  }
  if (isFile || shownText === href) return [[span(shownText, style)]]
  const shownAddress = ` (${toPlainLines(href).join(' ')})`
  return [
    [
      span(shownText, style),
      span(isScreenReader ? shownAddress.replace('(', '(link: ') : shownAddress, { tone: 'muted' }),
    ],
  ]
}

/** Returns a path relative to the working directory if it is inside. */
function shortenPath(path: string, cwd: string | undefined): string {
  if (cwd === undefined || cwd === '/' || !isAbsolute(path)) return path
  const relativePath = toRelativePath(path, cwd)
  return relativePath === undefined || relativePath === '' ? path : relativePath
}

/** Creates the URL of a file. A relative path needs a working directory; without one the link is only text. */
function createFileUrl(href: string, line: number | undefined, cwd: string | undefined): string | undefined {
  const path = href.slice('file:'.length)
  const fragment = line === undefined ? '' : `#${line}`
  if (path.startsWith('//')) return `${href}${fragment}`
  if (path.includes('\0') || (cwd === undefined && !path.startsWith('/'))) return undefined
  return `${pathToFileURL(resolve(cwd ?? '/', path)).href}${fragment}`
}

function languagesOf(view: View): string[] {
  if (typeof view === 'string') return []
  if (isViewList(view)) return view.flatMap(languagesOf)
  switch (view.type) {
    case 'code':
      return view.language === undefined ? [] : [view.language]
    case 'diff':
      return [view.path]
    case 'markdown':
      return languagesOfMarkdown(view.text)
    case 'list':
      return view.items.flatMap(languagesOf)
    case 'group':
      return view.children.flatMap(languagesOf)
    case 'table':
      return view.rows.flat().flatMap(languagesOf)
    case 'fields':
      return view.fields.flatMap(({ value }) => languagesOf(value))
    case 'collapsible':
      return [...languagesOf(view.summary), ...languagesOf(view.content)]
    default:
      return []
  }
}
