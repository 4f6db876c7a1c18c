import { isUtf8 } from 'node:buffer'

const ESCAPED_BYTE = /\\x([0-9a-f]{2})/g
const TEXT_TO_ESCAPE = /\p{Cc}|\\x[0-9a-f]{2}/u
const CONTROL_CHARACTER = /^\p{Cc}/u
const BACKSLASH = 0x5c

/**
 * Converts a path to text on one line: control characters and invalid UTF-8 become escapes such as `\xff`. The
 * conversion is reversible: no two names have the same text.
 */
export function toPathText(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('utf8')
  if (!TEXT_TO_ESCAPE.test(text) && isUtf8(buffer)) return text
  let escapedText = ''
  for (let at = 0; at < buffer.length; ) {
    const end = at + (measureCharacter(buffer, at) ?? 1)
    const character = buffer.subarray(at, end)
    escapedText += needsEscape(buffer, at, character) ? escapeBytes(character) : character.toString('utf8')
    at = end
  }
  return escapedText
}

/**
 * Reverses `toPathText`: returns bytes for an escaped path, otherwise the path itself. Only escapes that `toPathText` makes are
 * decoded, so that no escape can produce a slash or a dot.
 */
export function toPathBytes(path: string, platform: string = process.platform): string | Buffer {
  if (platform === 'win32' || !path.includes('\\x')) return path
  const parts: Buffer[] = []
  let at = 0
  for (const match of path.matchAll(ESCAPED_BYTE)) {
    parts.push(Buffer.from(path.slice(at, match.index)), Buffer.from(match[1] ?? '', 'hex'))
    at = match.index + match[0].length
  }
  const bytes = Buffer.concat([...parts, Buffer.from(path.slice(at))])
  return !bytes.includes(0) && toPathText(bytes) === path ? bytes : path
}

function needsEscape(bytes: Buffer, at: number, character: Buffer): boolean {
  return !isUtf8(character) || CONTROL_CHARACTER.test(character.toString('utf8')) || isEscape(bytes, at)
}

function escapeBytes(bytes: Buffer): string {
  return bytes.toString('hex').replace(/../g, '\\x$&')
}

/** Returns the number of bytes of the character at a position; undefined for invalid UTF-8. */
function measureCharacter(bytes: Buffer, at: number): number | undefined {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length
  }
  return undefined
}

function isEscape(bytes: Buffer, at: number): boolean {
  return bytes[at] === BACKSLASH && /^\\x[0-9a-f]{2}$/.test(bytes.toString('latin1', at, at + 4))
}
