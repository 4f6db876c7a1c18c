import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { reasonOf } from '../../shared/reason-of.js'
import { readFile } from '../files/read-file.js'
import type { EntryState } from './entry-state.js'
import { lookAt } from './look-at.js'

/** Read and kept at once. */
export const SMALL_BYTES = 256 * 1024
/** A larger file is not kept. */
const MAX_FILE_BYTES = 256 * 1024 ** 2
/** A folder with more in it is not kept: a command that may change anything in it must not wait for it. */
const MAX_TREE_ENTRIES = 2_000
const MAX_TREE_BYTES = 64 * 1024 ** 2

/** Names content, and may keep it. */
export type NameContent = (content: Uint8Array) => string | Promise<string>

/** What stands at a path now. */
export async function takeState(path: string, name: NameContent = contentHash): Promise<EntryState> {
  try {
    const stats = lookAt(path)
    if (stats === undefined) return { kind: 'absent' }
    if (stats.isDirectory()) return { kind: 'folder', mode: stats.mode & 0o7777 }
    if (stats.isSymbolicLink()) return { kind: 'link', target: pathText(await readlink(pathBytes(path), 'buffer')) }
    return await takeFile(path, stats, name)
  } catch (error) {
    return { kind: 'lost', reason: reasonOf(error) }
  }
}

async function takeFile(path: string, stats: Stats, name: NameContent): Promise<EntryState> {
  if (!stats.isFile()) return { kind: 'lost', reason: 'it is a device, pipe or socket' }
  if (stats.size > MAX_FILE_BYTES) return { kind: 'lost', reason: 'it is too large to be kept' }
  const { content, mode } = stats.size > SMALL_BYTES ? await readLarge(path) : readSmall(path)
  return { kind: 'file', hash: await name(content), size: content.length, mode }
}

async function readLarge(path: string) {
  const { content, stat } = await readFile(path, { maxBytes: MAX_FILE_BYTES, realPath: path })
  return { content, mode: stat.mode }
}

/** At once: handing so little to another thread would cost several times what it takes. */
function readSmall(path: string) {
  const descriptor = openSync(pathBytes(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is a device, pipe or socket')
    return { content: readFileSync(descriptor), mode: stats.mode & 0o7777 }
  } finally {
    closeSync(descriptor)
  }
}

/** A folder and all below it; undefined where that is too much to be kept. Links are not followed. */
export async function takeTree(root: string, name?: NameContent): Promise<Map<string, EntryState> | undefined> {
  const paths = await pathsBelow(root)
  if (paths === undefined) return undefined
  const states = new Map<string, EntryState>()
  for (const path of paths) states.set(path, await takeState(path, name))
  return states
}

async function pathsBelow(root: string): Promise<readonly string[] | undefined> {
  const found = [root]
  let bytes = 0
  for (const path of found) {
    const stats = lookAt(path)
    bytes += stats?.size ?? 0
    if (stats?.isDirectory()) for (const name of await namesIn(path)) found.push(join(path, name))
    if (found.length > MAX_TREE_ENTRIES || bytes > MAX_TREE_BYTES) return undefined
  }
  return found
}

async function namesIn(path: string): Promise<readonly string[]> {
  const names = await readdir(pathBytes(path), 'buffer').catch(() => [])
  return names.map((name) => pathText(name))
}
