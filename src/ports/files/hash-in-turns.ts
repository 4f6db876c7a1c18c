import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { contentHash } from '../../shared/content-hash.js'
import { type FileContent, lengthOf, piecesOf } from '../../shared/file-content.js'

const TURN_BYTES = 2 * 1024 ** 2

/** The SHA-256 of content; while that of much is computed, others have their turn, such as what writes it. */
export async function hashInTurns(content: FileContent): Promise<string> {
  if (lengthOf(content) <= TURN_BYTES) return contentHash(content)
  const hash = createHash('sha256')
  for (const piece of piecesOf(content)) {
    for (let at = 0; at < piece.length; at += TURN_BYTES) {
      await setImmediate()
      hash.update(piece.subarray(at, at + TURN_BYTES))
    }
  }
  return hash.digest('hex')
}
