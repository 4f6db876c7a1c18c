import type { DecodedText } from './decode-text.js'
import { encodeText } from './encode-text.js'

/**
 * A UTF-8 file as a text with a character for each byte. To look for a text as it is, its bytes do as well as its
 * characters: none begins within another. Decoding a large file would cost more than all the rest of an edit.
 */
export function byteText({ bytes, bomLength }: DecodedText): DecodedText {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + bomLength, bytes.length - bomLength)
  return { encoding: 'latin-1', bytes, bomLength, text: body.toString('latin1') }
}

/** A text in the same form. */
export function bytesAsText(text: string): string {
  return Buffer.from(encodeText(text, 'utf-8')).toString('latin1')
}

export function textOfBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
