import { isUtf8 } from 'node:buffer'
import type { TextEncoding } from './detect-encoding.js'

/** The text of bytes without their mark. Eight-bit text that is no UTF-8 is taken for Latin-1, which fits any bytes. */
export function decodeText(bytes: Uint8Array, kind: TextEncoding['kind']): string {
  if (kind !== 'eight-bit') return new TextDecoder(kind, { ignoreBOM: true }).decode(bytes)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString(isUtf8(buffer) ? 'utf8' : 'latin1')
}
