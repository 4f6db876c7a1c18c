import { type CellsSpan, findEnd, findStringEnd, scanNotebook, skipSpace } from '../../edits/notebook/scan-notebook.js'
import type { Steps } from '../../shared/steps.js'

/** A notebook, both parsed and as text. */
export interface OpenNotebook {
  readonly text: string
  readonly style: JsonStyle
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  /** The span of the cell list in the text. */
  readonly cellsSpan: CellsSpan
}

/** The nesting depth of a cell, which is in a list inside the top-level object. */
export const CELL_DEPTH = 2

export function* openNotebook(text: string): Steps<OpenNotebook> {
  const notebook = yield* scanOrExplain(text)
  if (notebook === undefined)
    throw new NotebookEditError('The file has no list of cells, so it is not a notebook of format 4. Use Edit instead.')
  return { text, style: detectStyle(text), ...notebook }
}

function* scanOrExplain(text: string): ReturnType<typeof scanNotebook> {
  try {
    return yield* scanNotebook(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new NotebookEditError('The file is not valid JSON, so it is not a notebook. Fix it with Edit first.', {
      cause,
    })
  }
}

/** An edit that is not possible. The message says what the model should do instead. */
export class NotebookEditError extends Error {
  override readonly name = 'NotebookEditError'
}

/** Where a value is in a JSON text, so that everything else can stay byte-identical. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
  /** The members of an object. The last of several equal names applies, as in JSON.parse. */
  readonly members?: ReadonlyMap<string, JsonMember>
  /** The items of an array. */
  readonly items?: readonly JsonSpan[]
}

interface JsonMember {
  readonly nameStart: number
  readonly value: JsonSpan
}

/** Finds the spans of a value and of all values in it. The text is known to be valid JSON. */
export function scanValueAt(text: string, start: number): JsonSpan {
  const firstCharacter = text[start]
  if (firstCharacter === '{') return scanObjectAt(text, start)
  if (firstCharacter === '[') return scanArrayAt(text, start)
  return { start, end: firstCharacter === '"' ? findStringEnd(text, start) : findLiteralEnd(text, start) }
}

function scanObjectAt(text: string, start: number): JsonSpan {
  const members = new Map<string, JsonMember>()
  let at = skipSpace(text, start + 1)
  while (text[at] !== '}') {
    const nameStart = at
    const nameEnd = findStringEnd(text, at)
    const value = scanValueAt(text, skipSpace(text, skipSpace(text, nameEnd) + 1))
    members.set(JSON.parse(text.slice(nameStart, nameEnd)), { nameStart, value })
    at = skipComma(text, value.end)
  }
  return { start, end: at + 1, members }
}

function scanArrayAt(text: string, start: number): JsonSpan {
  const items: JsonSpan[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const item = scanValueAt(text, at)
    items.push(item)
    at = skipComma(text, item.end)
  }
  return { start, end: at + 1, items }
}

function skipComma(text: string, at: number): number {
  const nextOffset = skipSpace(text, at)
  return text[nextOffset] === ',' ? skipSpace(text, nextOffset + 1) : nextOffset
}

function findLiteralEnd(text: string, at: number): number {
  return findEnd(/[\w.+-]+/y, text, at)
}

/** The formatting of a JSON file, which is also used for new values. */
interface JsonStyle {
  /** The indentation of one level; empty if everything is on one line. */
  readonly indent: string
  readonly lineEnd: '\n' | '\r\n'
  /** Whether the file escapes all non-ASCII characters. */
  readonly isAscii: boolean
}

function detectStyle(text: string): JsonStyle {
  return {
    indent: /^\s*\{\r?\n([ \t]+)/.exec(text)?.[1] ?? '',
    lineEnd: /\r\n/.test(text) ? '\r\n' : '\n',
    isAscii: text.includes('\\u') && /\\u[0-9a-f]{4}/i.test(text) && !/[^\0-\x7f]/.test(text),
  }
}

/** Serialises a value with this formatting, for a place at this nesting depth. */
export function writeJson(value: unknown, depth: number, { indent, lineEnd, isAscii }: JsonStyle): string {
  const text = JSON.stringify(value, null, indent)
  const escapedText = isAscii ? text.replace(/[^\0-\x7f]/g, escapeUnit) : text
  return indent === '' ? escapedText : escapedText.replaceAll('\n', lineEnd + indent.repeat(depth))
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
