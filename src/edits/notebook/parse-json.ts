import type { Steps } from '../../shared/steps.js'

/** A parsed value and its offsets in the text. */
export interface ParsedJson {
  readonly value: unknown
  readonly start: number
  readonly end: number
}

export interface ParsedMember extends ParsedJson {
  readonly name: string
}

interface JsonLimits {
  /** Shorter values are parsed at once; of longer ones, the parts one by one. */
  readonly charsAtOnce: number
  readonly stringCharsAtOnce: number
  /** Long values that are nested more deeply are refused. */
  readonly depth: number
}

const DEFAULT_LIMITS: JsonLimits = { charsAtOnce: 16_000, stringCharsAtOnce: 256_000, depth: 200 }
const ITEMS_PER_STEP = 64

/** Parses the JSON value at an offset as `JSON.parse` does, but in steps. Throws a `SyntaxError` if it is not valid. */
export function* parseJsonAt(text: string, start: number, limits: JsonLimits = DEFAULT_LIMITS): Steps<ParsedJson> {
  const shortEnd = findShortEnd(text, start, limits.charsAtOnce)
  if (shortEnd !== undefined) return { value: JSON.parse(text.slice(start, shortEnd)), start, end: shortEnd }
  yield
  if (text[start] === '"') return yield* parseLongString(text, start, limits)
  return text[start] === '{' ? yield* parseLongObject(text, start, limits) : yield* parseLongArray(text, start, limits)
}

/** Parses the members of the object at an offset, and their values with `parseValue`. */
export function* parseMembersAt(
  text: string,
  start: number,
  parseValue: (valueStart: number, name: string) => Steps<ParsedJson> = (valueStart) => parseJsonAt(text, valueStart),
): Steps<{ readonly members: readonly ParsedMember[]; readonly end: number }> {
  const members: ParsedMember[] = []
  let at = skipSpace(text, expectMark(text, start, '{'))
  while (text[at] !== '}') {
    if (text[at] !== '"') throw new SyntaxError(`Expected a name at offset ${at}`)
    const name = yield* parseJsonAt(text, at)
    const valueStart = skipSpace(text, expectMark(text, skipSpace(text, name.end), ':'))
    const parsedValue = yield* parseValue(valueStart, String(name.value))
    members.push({ name: String(name.value), ...parsedValue })
    at = skipComma(text, parsedValue.end, '}')
    if (members.length % ITEMS_PER_STEP === 0) yield
  }
  return { members, end: at + 1 }
}

/** Parses the items of the array at an offset, with their offsets. */
export function* parseItemsAt(
  text: string,
  start: number,
): Steps<{ readonly items: readonly ParsedJson[]; readonly end: number }> {
  const items: ParsedJson[] = []
  let at = skipSpace(text, expectMark(text, start, '['))
  while (text[at] !== ']') {
    const item = yield* parseJsonAt(text, at)
    items.push(item)
    at = skipComma(text, item.end, ']')
    if (items.length % ITEMS_PER_STEP === 0) yield
  }
  return { items, end: at + 1 }
}

function enterLevel(limits: JsonLimits, start: number): JsonLimits {
  if (limits.depth === 0) throw new SyntaxError(`The value at offset ${start} is nested too deeply`)
  return { ...limits, depth: limits.depth - 1 }
}

function* parseLongObject(text: string, start: number, limits: JsonLimits): Steps<ParsedJson> {
  const innerLimits = enterLevel(limits, start)
  const { members, end } = yield* parseMembersAt(text, start, (valueStart) =>
    parseJsonAt(text, valueStart, innerLimits),
  )
  const object: Record<string, unknown> = {}
  for (const [index, { name, value }] of members.entries()) {
    if (index % ITEMS_PER_STEP === 0) yield
    // An assignment to `__proto__` would set the prototype.
    if (name === '__proto__') Object.defineProperty(object, name, { value, ...DATA_PROPERTY })
    else object[name] = value
  }
  return { value: object, start, end }
}

/** Parses a long array. Short items are parsed together, because an output can have a million numbers. */
function* parseLongArray(text: string, start: number, limits: JsonLimits): Steps<ParsedJson> {
  const innerLimits = enterLevel(limits, start)
  const values: unknown[] = []
  let at = skipSpace(text, expectMark(text, start, '['))
  while (text[at] !== ']') {
    const runEnd = findRunEnd(text, at, limits.charsAtOnce)
    if (runEnd === undefined) {
      const item = yield* parseJsonAt(text, at, innerLimits)
      values.push(item.value)
      at = skipComma(text, item.end, ']')
    } else {
      if (runEnd === at) throw new SyntaxError(`Unexpected comma at offset ${at}`)
      values.push(...JSON.parse(`[${text.slice(at, runEnd)}]`))
      at = skipComma(text, runEnd, ']')
    }
    yield
  }
  return { value: values, start, end: at + 1 }
}

const DATA_PROPERTY = { enumerable: true, writable: true, configurable: true } as const

function* parseLongString(text: string, start: number, { stringCharsAtOnce }: JsonLimits): Steps<ParsedJson> {
  const parts: string[] = []
  let at = start + 1
  for (;;) {
    const end = skipCharacters(text, at, stringCharsAtOnce)
    parts.push(JSON.parse(`"${text.slice(at, end)}"`))
    if (text[end] === '"') return { value: parts.join(''), start, end: end + 1 }
    if (end >= text.length) throw new SyntaxError('Unexpected end of a string')
    at = end
    yield
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Returns an offset in a JSON string that is not inside an escape: the next quote, or about `maxChars` later. */
function skipCharacters(text: string, start: number, maxChars: number): number {
  const limit = Math.min(text.length, start + maxChars)
  let at = start
  while (at < limit) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code !== BACKSLASH) at += 1
    else at += text[at + 1] === 'u' ? 6 : 2
  }
  return at
}

/**
 * Finds the end of a value by its brackets and quotes; undefined if it is longer than `maxChars`. Parsing decides later whether
 * the value is valid.
 */
function findShortEnd(text: string, start: number, maxChars: number): number | undefined {
  const first = text[start]
  if (first !== '"' && first !== '{' && first !== '[') return findEnd(/[^\s,\]}]+/y, text, start)
  const limit = Math.min(text.length, start + maxChars)
  let depth = 0
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = skipCharacters(text, at + 1, limit - at)
    else if (OPENING_CODES.has(code)) depth++
    else if (CLOSING_CODES.has(code)) depth--
    else continue
    if (depth === 0) return at < limit ? at + 1 : undefined
  }
  return undefined
}

/** Finds the end of the last item of an array that ends within `maxChars`; undefined if the first one is longer. */
function findRunEnd(text: string, start: number, maxChars: number): number | undefined {
  const limit = Math.min(text.length, start + maxChars)
  let depth = 0
  let runEnd: number | undefined
  for (let at = start; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = skipCharacters(text, at + 1, limit - at)
    else if (code === COMMA && depth === 0) runEnd = at
    else if (OPENING_CODES.has(code)) depth++
    else if (CLOSING_CODES.has(code) && --depth < 0) return at
  }
  return runEnd
}

const COMMA = 0x2c
const OPENING_CODES: ReadonlySet<number> = new Set(['{', '['].map((mark) => mark.charCodeAt(0)))
const CLOSING_CODES: ReadonlySet<number> = new Set(['}', ']'].map((mark) => mark.charCodeAt(0)))

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
function findEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
