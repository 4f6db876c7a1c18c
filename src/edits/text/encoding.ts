import { isAscii, isUtf8 } from 'node:buffer'

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1'

/** The bytes of a file with their decoded text. The first `bomLength` bytes are the byte order mark. */
export interface DecodedText {
  readonly encoding: TextEncoding
  readonly bytes: Uint8Array
  readonly bomLength: number
  /** Keeps the line endings of the file. */
  readonly text: string
}

/** Decodes bytes so that every text offset maps to a byte offset. Unedited parts can then stay byte-identical. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const { encoding, bomLength } = encodingOf(bytes)
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + bomLength, bytes.length - bomLength)
  let text: string | undefined
  return {
    encoding,
    bytes,
    bomLength,
    // Decodes on demand: decoding dominates the cost of a small edit in a large file, and is not always needed.
    get text() {
      text ??= decodeBody(body, encoding)
      return text
    },
  }
}

const BYTE_ORDER_MARKS = [
  { encoding: 'utf-8', mark: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', mark: [0xff, 0xfe] },
  { encoding: 'utf-16be', mark: [0xfe, 0xff] },
] as const

function encodingOf(bytes: Uint8Array): { readonly encoding: TextEncoding; readonly bomLength: number } {
  const foundMark = BYTE_ORDER_MARKS.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))
  if (foundMark !== undefined && foundMark.encoding !== 'utf-8') return { encoding: foundMark.encoding, bomLength: 2 }
  // Invalid UTF-8 is read as Latin-1, where every byte is a character, so that the bytes survive unchanged.
  if (!isUtf8(bytes)) return { encoding: 'latin-1', bomLength: 0 }
  return { encoding: 'utf-8', bomLength: foundMark?.mark.length ?? 0 }
}

function decodeBody(body: Buffer, encoding: TextEncoding): string {
  if (encoding === 'latin-1' || (encoding === 'utf-8' && isAscii(body))) return body.toString('latin1')
  if (encoding === 'utf-8') return body.toString('utf8')
  // If the length is odd, the last byte belongs to no character: it stays in `bytes` but is left out of the text.
  const completeBytes = body.subarray(0, body.length - (body.length % 2))
  return (encoding === 'utf-16le' ? completeBytes : Buffer.from(completeBytes).swap16()).toString('utf16le')
}

/** Thrown if a text has a character that the encoding of the file cannot represent. The message names it and the fix. */
export class UnencodableTextError extends Error {
  override readonly name = 'UnencodableTextError'
}

/** Encodes a text without a byte order mark. Throws `UnencodableTextError` rather than substitute a character. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array {
  if (encoding === 'latin-1') return encodeLatin1(text)
  if (encoding === 'utf-8') return encodeUtf8(text)
  const bytes = Buffer.from(text, 'utf16le')
  return encoding === 'utf-16le' ? bytes : bytes.swap16()
}

function encodeLatin1(text: string): Uint8Array {
  const unencodableCharacter = text.match(/[^\0-\xff]/u)?.[0]
  if (unencodableCharacter !== undefined) {
    throw new UnencodableTextError(
      `The file is encoded in Latin-1, which cannot represent ${nameOf(unencodableCharacter)}. Use only Latin-1 characters, ` +
        'or convert the file to UTF-8 first (iconv -f latin1 -t utf-8).',
    )
  }
  return Buffer.from(text, 'latin1')
}

function encodeUtf8(text: string): Uint8Array {
  const loneSurrogate = text.match(LONE_SURROGATE)?.[0]
  if (loneSurrogate !== undefined) {
    throw new UnencodableTextError(
      `The text has ${nameOf(loneSurrogate)}, a lone surrogate, which UTF-8 cannot encode. Write the whole character.`,
    )
  }
  return Buffer.from(text, 'utf8')
}

const LONE_SURROGATE = /\p{Surrogate}/u

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return LONE_SURROGATE.test(character) ? `U+${code}` : `"${character}" (U+${code})`
}
