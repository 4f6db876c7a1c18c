import type { FileHandle } from 'node:fs/promises'
import type { ExpectedContent } from '../../contract/ports/files.js'
import { CHUNK_BYTES, readChunks } from './chunks.js'
import { hashHandle } from './hash-handle.js'

/** Whether an open file holds what is expected, in constant memory. */
export async function hasContent(handle: FileHandle, expected: Exclude<ExpectedContent, 'absent'>): Promise<boolean> {
  if ('contentHash' in expected) return (await hashHandle(handle)) === expected.contentHash
  const { content } = expected
  let at = 0
  const chunkBytes = Math.min(content.length + 2, CHUNK_BYTES)
  for await (const chunk of readChunks(handle, undefined, chunkBytes)) {
    if (!chunk.equals(content.subarray(at, at + chunk.length))) return false
    at += chunk.length
  }
  return at === content.length
}
