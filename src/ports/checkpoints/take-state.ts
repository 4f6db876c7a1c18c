import { lstatSync, type Stats } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { reasonOf } from '../../shared/reason-of.js'
import { readFile } from '../files/read-file.js'
import type { EntryState } from './entry-state.js'

/** A larger file is not kept. */
const MAX_FILE_BYTES = 256 * 1024 ** 2
/** A folder with more in it is not kept whole. */
const MAX_TREE_ENTRIES = 10_000

/** Names content, and may keep it. */
export type NameContent = (content: Uint8Array) => string | Promise<string>

/** What stands at a path now. */
export async function takeState(path: string, name: NameContent = contentHash): Promise<EntryState> {
  try {
    const stats = lstatSync(pathBytes(path), { throwIfNoEntry: false })
    if (stats === undefined) return { kind: 'absent' }
    if (stats.isDirectory()) return { kind: 'folder', mode: stats.mode & 0o7777 }
    if (stats.isSymbolicLink()) return { kind: 'link', target: pathText(await readlink(pathBytes(path), 'buffer')) }
    return await takeFile(path, stats, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'lost', reason: reasonOf(error) }
  }
}

async function takeFile(path: string, stats: Stats, name: NameContent): Promise<EntryState> {
  if (!stats.isFile()) return { kind: 'lost', reason: 'it is a device, pipe or socket' }
  if (stats.size > MAX_FILE_BYTES) return { kind: 'lost', reason: 'it is too large to be kept' }
  const { content, stat } = await readFile(path, { maxBytes: MAX_FILE_BYTES })
  return { kind: 'file', hash: await name(content), size: content.length, mode: stat.mode }
}

/** A folder and all below it, or what stands there in its place. Links are not followed. */
export async function takeTree(root: string, name?: NameContent): Promise<Map<string, EntryState>> {
  const states = new Map<string, EntryState>()
  const open = [root]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const state = await takeState(path, name)
    states.set(path, state)
    if (state.kind === 'folder') for (const entry of await namesIn(path)) open.push(join(path, entry))
    if (states.size > MAX_TREE_ENTRIES) return new Map([[root, { kind: 'lost', reason: 'there is too much in it' }]])
  }
  return states
}

async function namesIn(path: string): Promise<readonly string[]> {
  const names = await readdir(pathBytes(path), 'buffer').catch(() => [])
  return names.map((name) => pathText(name))
}
