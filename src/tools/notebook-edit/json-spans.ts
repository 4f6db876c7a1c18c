/** A value in a JSON text, by where it stands: what is not changed can then stay as it was written. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
  /** Of an object; of two members with one name the last counts, as everywhere. */
  readonly members?: ReadonlyMap<string, JsonMember>
  /** Of an array. */
  readonly items?: readonly JsonSpan[]
}

interface JsonMember {
  /** Where its name begins. */
  readonly nameStart: number
  readonly value: JsonSpan
}

/** Finds where the values of a text stand that is known to be JSON. */
export function jsonSpans(text: string): JsonSpan {
  return valueAt(text, skipSpace(text, 0))
}

function valueAt(text: string, start: number): JsonSpan {
  const first = text[start]
  if (first === '{') return objectAt(text, start)
  if (first === '[') return arrayAt(text, start)
  return { start, end: first === '"' ? stringEnd(text, start) : plainEnd(text, start) }
}

function objectAt(text: string, start: number): JsonSpan {
  const members = new Map<string, JsonMember>()
  let at = skipSpace(text, start + 1)
  while (text[at] !== '}') {
    const nameStart = at
    const nameEnd = stringEnd(text, at)
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

function stringEnd(text: string, at: number): number {
  // By jumps from quote to quote, because a picture in a notebook is one string of many megabytes.
  let end = text.indexOf('"', at + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

function plainEnd(text: string, at: number): number {
  return endOf(/[\w.+-]+/y, text, at)
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}
