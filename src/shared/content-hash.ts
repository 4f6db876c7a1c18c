import { createHash } from 'node:crypto'

/** The SHA-256 of bytes, in hexadecimal: the name by which content is known. */
export function contentHash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
