import { isAscii, isUtf8 } from 'node:buffer'

export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'latin-1'

/** A file's bytes beside the text they stand for; what precedes the text is its byte order mark. */
export interface DecodedText {
  readonly encoding: TextEncoding
  readonly bytes: Uint8Array
  readonly bomLength: number
  /** With the line endings of the file. */
  readonly text: string
}

/** Reads bytes so that every offset in the text is a place in the bytes: whatever is not edited can stay as it is. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const { encoding, bomLength } = encodingOf(bytes)
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + bomLength, bytes.length - bomLength)
  let text: string | undefined
  return {
    encoding,
    bytes,
    bomLength,
    // Decoding is most of what a small edit of a large file would cost, and not always needed.
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
  const found = BYTE_ORDER_MARKS.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte))
  if (found !== undefined && found.encoding !== 'utf-8') return { encoding: found.encoding, bomLength: 2 }
  // In Latin-1 every byte is a character: bytes that are no valid UTF-8 come back as they were.
  if (!isUtf8(bytes)) return { encoding: 'latin-1', bomLength: 0 }
  return { encoding: 'utf-8', bomLength: found?.mark.length ?? 0 }
}

function decodeBody(body: Buffer, encoding: TextEncoding): string {
  if (encoding === 'latin-1' || (encoding === 'utf-8' && isAscii(body))) return body.toString('latin1')
  if (encoding === 'utf-8') return body.toString('utf8')
  // A last odd byte belongs to no character, and stays behind the text.
  const whole = body.subarray(0, body.length - (body.length % 2))
  return (encoding === 'utf-16le' ? whole : Buffer.from(whole).swap16()).toString('utf16le')
}
