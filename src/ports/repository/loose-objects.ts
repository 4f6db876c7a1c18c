import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import type { WatchedFiles } from './watched-files.js'

const MAX_FILE = 1024 * 1024
const MAX_CONTENT = 4 * 1024 * 1024

export interface GitObject {
  readonly type: string
  readonly content: Buffer
}

/** An object that lies in a file of its own; null for one in a pack, too large or broken. */
export async function readLooseObject(
  files: WatchedFiles,
  objectsFolder: string,
  name: string,
): Promise<GitObject | null> {
  const found = await files.readBytes(join(objectsFolder, name.slice(0, 2), name.slice(2)), MAX_FILE)
  if (found.is !== 'found') return null
  try {
    const bytes = inflateSync(found.content, { maxOutputLength: MAX_CONTENT })
    const zero = bytes.indexOf(0)
    const type = /^([a-z]+) \d+$/.exec(bytes.toString('latin1', 0, Math.max(zero, 0)))?.[1]
    return type === undefined ? null : { type, content: bytes.subarray(zero + 1) }
  } catch {
    // Broken or larger than any that is needed.
    return null
  }
}
