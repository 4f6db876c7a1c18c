import type { TextEncoding } from './decode-text.js'

/** A text with a character that the file's encoding does not have; the message says which, and what to do. */
export class UnencodableTextError extends Error {
  override readonly name = 'UnencodableTextError'
}

/** The bytes of a text without a byte order mark; never a substitute for a character that has none. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === 'latin-1') return encodeLatin1(text)
  if (encoding === 'utf-8') return encodeUtf8(text)
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16le' ? bytes : bytes.swap16()
}

function encodeLatin1(text: string): Uint8Array {
  const outside = text.match(/[^\0-\xff]/u)?.[0]
  if (outside !== undefined) {
    throw new UnencodableTextError(
      `The file is encoded in Latin-1, which has no ${nameOf(outside)}. Write the text with characters of Latin-1, ` +
        'or convert the file to UTF-8 first (iconv -f latin1 -t utf-8).',
    )
  }
  return Buffer.from(text, 'latin1')
}

function encodeUtf8(text: string): Uint8Array {
  const lone = text.match(LONE_SURROGATE)?.[0]
  if (lone !== undefined) {
    throw new UnencodableTextError(
      `The text has ${nameOf(lone)}, half of a character, which UTF-8 cannot hold. Write the whole character.`,
    )
  }
  return Buffer.from(text, 'utf8')
}

const LONE_SURROGATE = /\p{Surrogate}/u

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return LONE_SURROGATE.test(character) ? `U+${code}` : `"${character}" (U+${code})`
}
