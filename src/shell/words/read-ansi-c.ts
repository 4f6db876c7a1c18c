const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
}
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this rejects
const PLAIN_TEXT = /[^'\\\x00\x01\x7f]+/y
/** Excluded: `\x{2d}`, which only bash reads as a hexadecimal escape. */
const NUMBER = /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/y

/**
 * Reads `$'…'`, starting at its dollar sign. Returns undefined for an escape outside of the agreed subset and for a byte that
 * is neither printable ASCII nor a known control character: its meaning depends on the locale, and NUL ends the text.
 */
export function readAnsiC(
  source: string,
  start: number,
  limit: number,
): { readonly value: string; readonly end: number } | undefined {
  let value = ''
  let at = start + 2
  while (at < limit) {
    const char = source[at]
    if (char === "'") return { value, end: at + 1 }
    const [text, length] = char === '\\' ? readEscape(source, at) : readPlain(source, at)
    if (length === 0) return undefined
    value += text
    at += length
  }
  return undefined
}

const NO_ESCAPE = ['', 0] as const

function readPlain(source: string, at: number): readonly [string, number] {
  PLAIN_TEXT.lastIndex = at
  const text = PLAIN_TEXT.exec(source)?.[0]
  return text === undefined ? NO_ESCAPE : [text, text.length]
}

function readEscape(source: string, at: number): readonly [string, number] {
  const nextCharacter = source[at + 1] ?? ''
  const value = Object.hasOwn(ESCAPED_CHARACTERS, nextCharacter) ? ESCAPED_CHARACTERS[nextCharacter] : undefined
  if (value !== undefined) return [value, 2]
  // Unlike in double quotes, where they are removed, the backslash and the newline stay.
  if (nextCharacter === '\n') return ['\\\n', 2]
  NUMBER.lastIndex = at
  const match = NUMBER.exec(source)
  if (match === null) return NO_ESCAPE
  const [text, hex, octal, shortUnicode, longUnicode] = match
  const code =
    octal === undefined ? Number.parseInt(hex ?? shortUnicode ?? longUnicode ?? '', 16) : Number.parseInt(octal, 8)
  return code > 1 && code < 127 ? [String.fromCharCode(code), text.length] : NO_ESCAPE
}
