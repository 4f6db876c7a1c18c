import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { readChunks } from './chunks.js'

/** The SHA-256 of a whole open file, in constant memory. */
export async function hashHandle(handle: FileHandle, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readChunks(handle, { signal })) hash.update(chunk)
  return hash.digest('hex')
}
