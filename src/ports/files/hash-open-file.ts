import { createHash } from 'node:crypto'
import { readChunks } from './chunks.js'

/** The SHA-256 of a whole open file, in constant memory. */
export async function hashOpenFile(descriptor: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readChunks(descriptor, { signal })) hash.update(chunk)
  return hash.digest('hex')
}
