import type { FileHandle } from 'node:fs/promises'
import type { ExpectedContent } from '../../contract/ports/files.js'
import { readChunks } from './chunks.js'
import { hashHandle } from './hash-handle.js'

/** Whether an open file holds what is expected, in constant memory. */
export async function hasContent(handle: FileHandle, expected: Exclude<ExpectedContent, 'absent'>): Promise<boolean> {
  if ('contentHash' in expected) return (await hashHandle(handle)) === expected.contentHash
  const { content } = expected
  let at = 0
  for await (const chunk of readChunks(handle, undefined)) {
    if (!chunk.equals(content.subarray(at, at + chunk.length))) return false
    at += chunk.length
  }
  return at === content.length
}
