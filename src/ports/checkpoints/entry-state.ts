import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import * as z from 'zod'
import { type InferOutput, lazySchema } from '../../contract/schema.js'
import { contentHash } from '../../shared/content-hash.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { reasonOf } from '../../shared/reason-of.js'
import { hasErrorCode } from '../files/file-failure.js'
import { readFile } from '../files/read/read-file.js'
import { resolveLinks } from '../paths/node-path-facts.js'

/** The state of a path. `lost` means that content exists but could not be saved. */
export const entryStateSchema = lazySchema(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('absent') }),
    z.object({ kind: z.literal('file'), hash: z.string(), size: z.number(), mode: z.number() }),
    z.object({ kind: z.literal('link'), target: z.string() }),
    z.object({ kind: z.literal('folder'), mode: z.number() }),
    z.object({ kind: z.literal('lost'), reason: z.string() }),
  ]),
)
export type EntryState = InferOutput<typeof entryStateSchema>

/** States by path. A path is the real path of the folder plus the name of the entry. The entry itself may be a link. */
export type EntryStates = Readonly<Record<string, EntryState>>

/** Whether two states are the same. A lost state equals no other, because its content is unknown. */
export function isSameState(a: EntryState, b: EntryState): boolean {
  if (a.kind === 'file') return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode
  return a.kind === 'absent' && b.kind === 'absent'
}

/** Returns the stats of a real path; undefined if nothing exists there or the path now leads through a link. */
function readStats(path: string): Stats | undefined {
  try {
    const stats = lstatSync(toPathBytes(path), { throwIfNoEntry: false })
    return stats === undefined || isRealFolder(dirname(path)) ? stats : undefined
  } catch (error) {
    if (hasErrorCode(error, 'ENOTDIR', 'ELOOP', 'ENOENT')) return undefined
    throw error
  }
}

/** Whether a folder is reached without links. Content behind a link must not be mistaken for the former content. */
export function isRealFolder(folder: string): boolean {
  return toPathText(realpathSync.native(toPathBytes(folder), 'buffer')) === folder
}

/** Files up to this size are read and stored synchronously. */
export const MAX_SYNC_BYTES = 256 * 1024
/** Larger files are not saved. */
const MAX_FILE_BYTES = 256 * 1024 ** 2
/** Larger folders are not saved, because a command that may change anything in them must not be delayed. */
const MAX_TREE_ENTRIES = 2_000
const MAX_TREE_BYTES = 64 * 1024 ** 2

/** Hashes content. May also store it. */
export type HashContent = (content: Uint8Array) => string | Promise<string>

/** Reads the current state of a path. Never rejects; a state that cannot be read is `lost`. */
export async function captureState(path: string, hashContent: HashContent = contentHash): Promise<EntryState> {
  try {
    const stats = readStats(path)
    if (stats === undefined) return { kind: 'absent' }
    if (stats.isDirectory()) return { kind: 'folder', mode: stats.mode & 0o7777 }
    if (stats.isSymbolicLink()) return { kind: 'link', target: toPathText(await readlink(toPathBytes(path), 'buffer')) }
    return await captureFile(path, stats, hashContent)
  } catch (error) {
    return { kind: 'lost', reason: reasonOf(error) }
  }
}

async function captureFile(path: string, stats: Stats, hashContent: HashContent): Promise<EntryState> {
  if (!stats.isFile()) return { kind: 'lost', reason: 'it is a device, pipe or socket' }
  if (stats.size > MAX_FILE_BYTES) return { kind: 'lost', reason: 'it is too large to be saved' }
  const { content, mode } = stats.size > MAX_SYNC_BYTES ? await readLarge(path) : readSmall(path)
  return { kind: 'file', hash: await hashContent(content), size: content.length, mode }
}

async function readLarge(path: string) {
  const { content, stat } = await readFile(path, { maxBytes: MAX_FILE_BYTES, realPath: path })
  return { content, mode: stat.mode }
}

/** Reads a small file synchronously, because the thread pool would take several times longer. */
function readSmall(path: string) {
  const descriptor = openSync(toPathBytes(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is a device, pipe or socket')
    return { content: readFileSync(descriptor), mode: stats.mode & 0o7777 }
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the states of a folder and everything below it; undefined if that is too much to save. Links are not followed. */
async function captureTree(root: string, hashContent?: HashContent): Promise<Map<string, EntryState> | undefined> {
  const paths = await listPathsBelow(root)
  if (paths === undefined) return undefined
  const states = new Map<string, EntryState>()
  for (const path of paths) states.set(path, await captureState(path, hashContent))
  return states
}

async function listPathsBelow(root: string): Promise<readonly string[] | undefined> {
  const foundPaths = [root]
  let bytes = 0
  for (const path of foundPaths) {
    const stats = readStats(path)
    bytes += stats?.size ?? 0
    if (stats?.isDirectory()) for (const name of await readNames(path)) foundPaths.push(join(path, name))
    if (foundPaths.length > MAX_TREE_ENTRIES || bytes > MAX_TREE_BYTES) return undefined
  }
  return foundPaths
}

async function readNames(path: string): Promise<readonly string[]> {
  const names = await readdir(toPathBytes(path), 'buffer').catch(() => [])
  return names.map((name) => toPathText(name))
}

/** Returns the states of all paths that a call will write to, and the folders in which anything may change. */
export async function captureBefore(writes: readonly string[], storeContent: HashContent) {
  const statesBefore: Record<string, EntryState> = {}
  const treeRoots: string[] = []
  let isPartial = false
  for (const path of writes) {
    const writtenPaths = await findWrittenPaths(path)
    for (const entry of writtenPaths.entries) statesBefore[entry] ??= await captureState(entry, storeContent)
    for (const tree of writtenPaths.trees) {
      const states = await captureTree(tree, storeContent)
      if (states !== undefined) treeRoots.push(tree)
      else isPartial = true
      for (const [entry, state] of states ?? []) statesBefore[entry] ??= state
    }
  }
  return { before: statesBefore, trees: treeRoots, isPartial }
}

/** Returns the current states of the saved paths and of new entries in the folders. */
export async function captureAfter(statesBefore: EntryStates, treeRoots: readonly string[]) {
  const statesAfter: Record<string, EntryState> = {}
  const appearedEntries: Record<string, EntryState> = {}
  for (const [path, oldState] of Object.entries(statesBefore)) {
    statesAfter[path] = await captureState(path)
    // A new folder may have been created together with its content.
    const hasBecomeFolder = statesAfter[path].kind === 'folder' && oldState.kind !== 'folder'
    if (treeRoots.includes(path) || hasBecomeFolder)
      Object.assign(statesAfter, Object.fromEntries((await captureTree(path)) ?? []))
  }
  for (const path of Object.keys(statesAfter)) if (!(path in statesBefore)) appearedEntries[path] = { kind: 'absent' }
  return { after: statesAfter, appeared: appearedEntries }
}

/** The paths that a call may change by writing to a path. */
export interface WrittenPaths {
  /** Single entries: the path itself, the target of a link, and folders that have to be created. */
  readonly entries: readonly string[]
  /** Folders in which anything may change. */
  readonly trees: readonly string[]
}

export async function findWrittenPaths(path: string): Promise<WrittenPaths> {
  if (!isAbsolute(path)) return { entries: [], trees: [] }
  const parent = await resolveFolder(dirname(path))
  const entryPath = join(parent, basename(path))
  const linkTarget = readStats(entryPath)?.isSymbolicLink()
    ? await resolveLinks(entryPath).catch(() => entryPath)
    : entryPath
  const candidates = [...new Set([entryPath, linkTarget])]
  const trees = candidates.filter(isFolder)
  const entries = candidates.filter((candidate) => !trees.includes(candidate))
  return { entries: [...candidates.flatMap(listMissingFolders), ...entries], trees }
}

/** Returns the real path of a folder or, if it does not exist, the path at which it would be created. */
async function resolveFolder(folder: string): Promise<string> {
  try {
    return toPathText(realpathSync.native(toPathBytes(folder), 'buffer'))
  } catch {
    return resolveLinks(folder).catch(() => folder)
  }
}

function isFolder(path: string): boolean {
  return readStats(path)?.isDirectory() ?? false
}

function listMissingFolders(path: string): readonly string[] {
  const parent = dirname(path)
  if (parent === path || readStats(parent) !== undefined) return []
  return [...listMissingFolders(parent), parent]
}
