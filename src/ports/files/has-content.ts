import { readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { ExpectedContent } from '../../contract/ports/files.js'
import { hashOpenFile } from './hash-open-file.js'

const CHUNK_BYTES = 1024 ** 2
/** Compared in one go; then others have their turn. */
const CHUNKS_AT_ONCE = 16

/** Whether an open file holds what is expected, in constant memory. */
export async function hasContent(descriptor: number, expected: Exclude<ExpectedContent, 'absent'>): Promise<boolean> {
  if ('contentHash' in expected) return (await hashOpenFile(descriptor)) === expected.contentHash
  const { content } = expected
  const chunk = Buffer.allocUnsafe(Math.min(content.length + 1, CHUNK_BYTES))
  for (let at = 0, turn = 1; ; turn++) {
    // At once: what is expected was read just before, so that it is still in memory.
    const length = readSync(descriptor, chunk, 0, chunk.length, at)
    if (length === 0) return at === content.length
    if (!chunk.subarray(0, length).equals(content.subarray(at, at + length))) return false
    at += length
    if (turn % CHUNKS_AT_ONCE === 0) await setImmediate()
  }
}
