import type { Steps } from '../../shared/steps.js'

/** A notebook that was parsed cell by cell, because parsing a large one at once would block the event loop. */
export interface ScannedNotebook {
  /** The members of the notebook besides its cells. */
  readonly data: Readonly<Record<string, unknown>>
  readonly cells: readonly unknown[]
  readonly cellsSpan: CellsSpan
}

/** The offsets of the list of cells and of each cell in the text. */
export interface CellsSpan {
  readonly start: number
  readonly end: number
  readonly items: readonly { readonly start: number; readonly end: number }[]
}

/** Longer text that cannot be a notebook is not parsed: that would block the event loop. */
const MAX_CHECKED_CHARS = 100_000

/** Parses a notebook; undefined if it is JSON without a list of cells. Throws a `SyntaxError` if it is not JSON. */
export function* scanNotebook(text: string): Steps<ScannedNotebook | undefined> {
  const members = new Map<string, unknown>()
  let foundCells: Omit<ScannedNotebook, 'data'> | undefined
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return rejectInvalid(text)
  at = skipSpace(text, at + 1)
  while (text[at] !== '}') {
    const nameEnd = findStringEnd(text, at)
    const name = parseSlice(text, at, nameEnd)
    const valueStart = skipSpace(text, expectMark(text, skipSpace(text, nameEnd), ':'))
    const isCellList = name === 'cells' && text[valueStart] === '['
    // Of several equal names the last one counts, as in JSON.parse.
    if (name === 'cells') foundCells = isCellList ? yield* scanCells(text, valueStart) : undefined
    const valueEnd = isCellList && foundCells !== undefined ? foundCells.cellsSpan.end : findValueEnd(text, valueStart)
    if (!isCellList) members.set(String(name), parseSlice(text, valueStart, valueEnd))
    at = skipComma(text, valueEnd, '}')
  }
  if (skipSpace(text, at + 1) !== text.length) throw new SyntaxError('Unexpected text after the notebook')
  return foundCells && { ...foundCells, data: Object.fromEntries(members) }
}

/** Handles text that cannot be a notebook: throws a `SyntaxError` if the text is not JSON, unless it is too long to check. */
function rejectInvalid(text: string): undefined {
  if (text.length <= MAX_CHECKED_CHARS) JSON.parse(text)
}

const CELLS_PER_STEP = 64

function* scanCells(text: string, start: number): Steps<Omit<ScannedNotebook, 'data'>> {
  const cells: unknown[] = []
  const items: { start: number; end: number }[] = []
  let at = skipSpace(text, start + 1)
  while (text[at] !== ']') {
    const end = findValueEnd(text, at)
    cells.push(parseSlice(text, at, end))
    items.push({ start: at, end })
    at = skipComma(text, end, ']')
    if (items.length % CELLS_PER_STEP === 0) yield
  }
  return { cells, cellsSpan: { start, end: at + 1, items } }
}

function parseSlice(text: string, start: number, end: number): unknown {
  return JSON.parse(text.slice(start, end))
}

/** Finds the end of a JSON value by its brackets and quotes only. Parsing decides later whether the value is valid. */
function findValueEnd(text: string, start: number): number {
  if (text[start] === '"') return findStringEnd(text, start)
  if (text[start] !== '{' && text[start] !== '[') return findEnd(/[^\s,\]}]+/y, text, start)
  const markPattern = /["[\]{}]/g
  markPattern.lastIndex = start
  let depth = 0
  for (let markMatch = markPattern.exec(text); markMatch !== null; markMatch = markPattern.exec(text)) {
    if (markMatch[0] === '"') markPattern.lastIndex = findStringEnd(text, markMatch.index)
    else if (markMatch[0] === '{' || markMatch[0] === '[') depth++
    else if (--depth === 0) return markMatch.index + 1
  }
  throw new SyntaxError('Unexpected end of the notebook')
}

export function findStringEnd(text: string, at: number): number {
  if (text[at] !== '"') throw new SyntaxError(`Unexpected text at offset ${at}`)
  // Jumps from quote to quote, because an image in a notebook is one string of many megabytes.
  let end = text.indexOf('"', at + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  if (end === -1) throw new SyntaxError('Unexpected end of the notebook')
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** Returns the start of the next item after a comma, or the position of the closing mark. */
function skipComma(text: string, at: number, closingMark: ']' | '}'): number {
  const markOffset = skipSpace(text, at)
  if (text[markOffset] === closingMark) return markOffset
  const itemOffset = skipSpace(text, expectMark(text, markOffset, ','))
  if (text[itemOffset] === closingMark) throw new SyntaxError(`Unexpected comma at offset ${markOffset}`)
  return itemOffset
}

function expectMark(text: string, at: number, mark: string): number {
  if (text[at] !== mark) throw new SyntaxError(`Expected "${mark}" at offset ${at}`)
  return at + 1
}

export function skipSpace(text: string, at: number): number {
  return findEnd(/[ \t\r\n]*/y, text, at)
}

/** Returns the end of a match at this position; the position itself if there is none. */
export function findEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
