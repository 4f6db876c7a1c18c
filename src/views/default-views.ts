import type { ViewOptions } from '../contract/tool/views.js'
import { code, fields, progress as progressNode } from '../contract/view-builders.js'
import type { View } from '../contract/views.js'
import { formatCounted } from '../shared/counted.js'
import { cutText, shortenText } from '../shared/cut-text.js'
import { isRecord } from '../shared/is-record.js'

/** Limits for calls of tools without their own views, such as tools of MCP servers. */

const MAX_SHOWN_LINES = 10
const MAX_LINE_CHARS = 400
const MAX_ARGUMENT_CHARS = 60
/** Also applies with `verbose`, because longer JSON would take too long to parse and format. */
const MAX_SHOWN_CHARS = 200_000

/** Formats the arguments of a call in one line: `query: haft, limit: 10`. */
export function formatArguments(input: Readonly<Record<string, unknown>>, { verbose }: ViewOptions): string {
  const entries = Object.entries(input)
  const [firstEntry] = entries
  if (entries.length === 1 && typeof firstEntry?.[1] === 'string') return shortenArgument(firstEntry[1], verbose)
  return entries.map(([name, value]) => `${name}: ${shortenArgument(formatArgument(value), verbose)}`).join(', ')
}

/** Describes the arguments of a call, one per line, with long values below their names. */
export function describeArguments(input: Readonly<Record<string, unknown>>): View | undefined {
  const entries = Object.entries(input)
  if (entries.length === 0) return undefined
  return fields(Object.fromEntries(entries.map(([name, value]) => [name, describeArgument(value)])))
}

/** Shortens a text unless `verbose` is set: its first lines, and how many more there are. */
export function shortenLines(
  text: string,
  { verbose }: ViewOptions,
): { readonly text: string; readonly isTruncated: boolean } {
  const shownText = cutText(text, MAX_SHOWN_CHARS).replace(/\n+$/, '')
  const lines = shownText.split('\n')
  const isTruncated = lines.length > MAX_SHOWN_LINES || lines.some((line) => line.length > MAX_LINE_CHARS)
  if (verbose || !isTruncated) return { text: shownText, isTruncated }
  const hiddenCount = lines.length - MAX_SHOWN_LINES
  const shownLines = lines.slice(0, MAX_SHOWN_LINES).map((line) => shortenText(line, MAX_LINE_CHARS))
  return {
    text: [...shownLines, ...(hiddenCount > 0 ? [`… ${formatCounted(hiddenCount, 'more line')}`] : [])].join('\n'),
    isTruncated,
  }
}

/** Describes the result of any tool. JSON is formatted, other text is shown as it is. */
export function describeDefaultResult(
  resultText: string,
  options: ViewOptions,
): { readonly body?: View; readonly isTruncated: boolean } {
  if (resultText.trim() === '') return { isTruncated: false }
  const json = formatJson(resultText)
  const { text, isTruncated } = shortenLines(json ?? resultText, options)
  return { body: json === undefined ? text : code(text, { language: 'json' }), isTruncated }
}

/** Describes the progress of any tool: text, or the amounts that MCP servers report. */
export function describeProgress(progress: unknown): View | undefined {
  if (typeof progress === 'string') return progress
  if (!isRecord(progress)) return undefined
  const label = [progress.message, progress.label, progress.type].find((value) => typeof value === 'string')
  return progressNode(typeof label === 'string' ? label : 'Working', {
    ...(typeof progress.progress === 'number' && { done: progress.progress }),
    ...(typeof progress.total === 'number' && { total: progress.total }),
  })
}

function shortenArgument(value: string, verbose: boolean): string {
  const line = cutText(value, 10 * MAX_LINE_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
  return shortenText(line, verbose ? MAX_LINE_CHARS : MAX_ARGUMENT_CHARS)
}

function formatArgument(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // The value contains itself or a bigint.
    return String(value)
  }
}

function describeArgument(value: unknown): View {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return formatArgument(value)
  try {
    return code(JSON.stringify(value, undefined, 2), { language: 'json' })
  } catch {
    // The value contains itself or a bigint.
    return formatArgument(value)
  }
}

function formatJson(text: string): string | undefined {
  const start = text.trimStart()[0]
  if ((start !== '{' && start !== '[') || text.length > MAX_SHOWN_CHARS) return undefined
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    // The text only looks like JSON.
    return undefined
  }
}
