import { createHash } from 'node:crypto'
import { type FileContent, listPieces } from './file-content.js'

/** Returns the SHA-256 of content, in hexadecimal. */
export function computeContentHash(content: FileContent): string {
  const hash = createHash('sha256')
  for (const piece of listPieces(content)) hash.update(piece)
  return hash.digest('hex')
}
