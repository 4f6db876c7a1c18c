import { isRecord } from '../../shared/is-record.js'

/** A notebook as parsed data and as text. */
export interface OpenNotebook {
  readonly text: string
  readonly style: JsonStyle
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  /** The span of the cell list in the text. */
  readonly cellsSpan: JsonSpan
}

/** Nesting depth of a cell: in a list inside the top-level object. */
export const CELL_DEPTH = 2

export function openNotebook(text: string): OpenNotebook {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (cause) {
    throw new NotebookEditError('The file is not valid JSON, so it is not a notebook. Fix it with Edit first.', {
      cause,
    })
  }
  const cellsSpan = parseSpans(text).members?.get('cells')?.value
  if (!isRecord(data) || !Array.isArray(data.cells) || cellsSpan === undefined)
    throw new NotebookEditError('The file has no list of cells, so it is not a notebook of format 4. Use Edit instead.')
  return { text, style: detectStyle(text), data, cells: data.cells, cellsSpan }
}

/** An edit that is not possible. The message tells the model what to do instead. */
export class NotebookEditError extends Error {
  override readonly name = 'NotebookEditError'
}

/** The span of a value in a JSON text, so that everything else can stay byte-identical. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
  /** Members of an object. Of duplicate names the last wins, as in JSON.parse. */
  readonly members?: ReadonlyMap<string, JsonMember>
  /** Items of an array. */
  readonly items?: readonly JsonSpan[]
}

interface JsonMember {
  readonly nameStart: number
  readonly value: JsonSpan
}

/** Finds the spans of the values of a text that is known to be valid JSON. */
function parseSpans(text: string): JsonSpan {
  return valueAt(text, skipSpace(text, 0))
}

function valueAt(text: string, start: number): JsonSpan {
  const first = text[start]
  if (first === '{') return objectAt(text, start)
  if (first === '[') return arrayAt(text, start)
  return { start, end: first === '"' ? findStringEnd(text, start) : findLiteralEnd(text, start) }
}

function objectAt(text: string, start: number): JsonSpan {
  const members = new Map<string, JsonMember>()
  let at = skipSpace(text, start + 1)
  while (text[at] !== '}') {
    const nameStart = at
    const nameEnd = findStringEnd(text, at)
    const value = valueAt(text, skipSpace(text, skipSpace(text, nameEnd) + 1))
    members.set(JSON.parse(text.slice(nameStart, nameEnd)), { nameStart, value })
    at = skipComma(text, value.end)
  }
  return { start, end: at + 1, members }
}

function arrayAt(text: string, start: number): JsonSpan {
  const items: JsonSpan[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const item = valueAt(text, at)
    items.push(item)
    at = skipComma(text, item.end)
  }
  return { start, end: at + 1, items }
}

function skipComma(text: string, at: number): number {
  const next = skipSpace(text, at)
  return text[next] === ',' ? skipSpace(text, next + 1) : next
}

function skipSpace(text: string, at: number): number {
  return endOf(/[ \t\r\n]*/y, text, at)
}

function findStringEnd(text: string, at: number): number {
  // Jumps from quote to quote, because an image in a notebook is one string of many megabytes.
  let end = text.indexOf('"', at + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

function findLiteralEnd(text: string, at: number): number {
  return endOf(/[\w.+-]+/y, text, at)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}

/** The formatting of a JSON file, which new values adopt. */
interface JsonStyle {
  /** Indentation of one level; empty if everything is on one line. */
  readonly indent: string
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the file escapes all non-ASCII characters. */
  readonly isAscii: boolean
}

function detectStyle(text: string): JsonStyle {
  return {
    indent: /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '',
    lineEnd: /\r\n/.test(text) ? '\r\n' : '\n',
    isAscii: /\\u[0-9a-f]{4}/i.test(text) && !/[^\0-\x7f]/.test(text),
  }
}

/** Serialises a value in the given style, at the given nesting depth. */
export function writeJson(value: unknown, depth: number, { indent, lineEnd, isAscii }: JsonStyle): string {
  const text = JSON.stringify(value, null, indent)
  const escapedText = isAscii ? text.replace(/[^\0-\x7f]/g, escapeUnit) : text
  return indent === '' ? escapedText : escapedText.replaceAll('\n', lineEnd + indent.repeat(depth))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
