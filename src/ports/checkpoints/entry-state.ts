import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import * as z from 'zod'
import { isFileError } from '../../contract/ports/file-error.js'
import { type InferOutput, lazySchema } from '../../contract/schema.js'
import { computeContentHash } from '../../shared/content-hash.js'
import { createPacer } from '../../shared/for-each-in-slices.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'
import { reasonOf } from '../../shared/reason-of.js'
import { CAN_HOLD_FOLDERS, FOLDER_FLAGS, findEntryBase } from '../../system/opened-path.js'
import { openFolder } from '../files/change/open-folder.js'
import type { ChangedPath } from '../files/create-files.js'
import { hasErrorCode } from '../files/file-failure.js'
import { readFile } from '../files/read/read-file.js'
import { resolveLinks } from '../paths/node-path-facts.js'
import { createMovedError } from '../paths/opened-path.js'

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
    return inRealFolder(path, statEntry)
  } catch (error) {
    if (isMoved(error)) return undefined
    throw error
  }
}

function isMoved(error: unknown): boolean {
  return isFileError(error) && error.code === 'moved'
}

function statEntry(entryPath: string | Buffer): Stats | undefined {
  return lstatSync(entryPath, { throwIfNoEntry: false })
}

/**
 * Calls a function with the path of an entry in its folder, which is held open. Returns undefined if the folder does not exist.
 * Throws if it is now reached through a link: content behind a link must not be mistaken for the former content.
 */
function inRealFolder<T>(path: string, use: (entryPath: string | Buffer) => T): T | undefined {
  const folder = dirname(path)
  let descriptor: number | undefined
  try {
    if (CAN_HOLD_FOLDERS) descriptor = openSync(toPathBytes(folder), FOLDER_FLAGS)
    const base = findEntryBase(folder, descriptor)
    if (base === undefined) throw createMovedError(path)
    return use(toPathBytes(`${base}/${basename(path)}`))
  } catch (error) {
    if (hasErrorCode(error, 'ENOTDIR', 'ELOOP', 'ENOENT')) return undefined
    throw error
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
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

/**
 * Reads the current state of a path. Never rejects; a state that cannot be read is `lost`. What the path leads to through a
 * link counts as absent.
 */
export async function captureState(path: string, hashContent: HashContent = computeContentHash): Promise<EntryState> {
  try {
    return await captureUnmoved(path, hashContent)
  } catch {
    return { kind: 'absent' }
  }
}

/** Like `captureState`, but rejects if the path leads through a link. */
async function captureUnmoved(path: string, hashContent: HashContent): Promise<EntryState> {
  try {
    const entry = inRealFolder(path, readEntry) ?? { kind: 'absent' }
    if (entry.kind !== 'content' && entry.kind !== 'large') return entry
    const { content, mode } = entry.kind === 'content' ? entry : await readLarge(path)
    return { kind: 'file', hash: await hashContent(content), size: content.length, mode }
  } catch (error) {
    if (isMoved(error)) throw error
    return { kind: 'lost', reason: reasonOf(error) }
  }
}

type ReadEntry =
  | Exclude<EntryState, { kind: 'file' }>
  | { readonly kind: 'content'; readonly content: Buffer; readonly mode: number }
  | { readonly kind: 'large' }

/** Reads an entry of a held folder synchronously, because the thread pool would take several times longer. */
function readEntry(entryPath: string | Buffer): ReadEntry {
  const stats = statEntry(entryPath)
  if (stats === undefined) return { kind: 'absent' }
  if (stats.isDirectory()) return { kind: 'folder', mode: stats.mode & 0o7777 }
  if (stats.isSymbolicLink()) return { kind: 'link', target: toPathText(readlinkSync(entryPath, 'buffer')) }
  if (!stats.isFile()) return { kind: 'lost', reason: 'it is a device, pipe or socket' }
  if (stats.size > MAX_FILE_BYTES) return { kind: 'lost', reason: 'it is too large to be saved' }
  return stats.size > MAX_SYNC_BYTES ? { kind: 'large' } : readSmall(entryPath)
}

async function readLarge(path: string) {
  const { content, stat } = await readFile(path, { maxBytes: MAX_FILE_BYTES, realPath: path })
  return { content, mode: stat.mode }
}

function readSmall(entryPath: string | Buffer): ReadEntry {
  const descriptor = openSync(entryPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is a device, pipe or socket')
    return { kind: 'content', content: readFileSync(descriptor), mode: stats.mode & 0o7777 }
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the states of a folder and everything below it; undefined if that is too much to save. Links are not followed. */
async function captureTree(root: string, hashContent?: HashContent): Promise<Map<string, EntryState> | undefined> {
  const paths = await listPathsBelow(root)
  if (paths === undefined) return undefined
  const states = new Map<string, EntryState>()
  const pauseIfDue = createPacer()
  for (const path of paths) {
    await pauseIfDue()
    states.set(path, await captureState(path, hashContent))
  }
  return states
}

async function listPathsBelow(root: string): Promise<readonly string[] | undefined> {
  const foundPaths = [root]
  let bytes = 0
  const pauseIfDue = createPacer()
  for (const path of foundPaths) {
    await pauseIfDue()
    const stats = readStats(path)
    bytes += stats?.size ?? 0
    if (stats?.isDirectory()) for (const name of await readNames(path)) foundPaths.push(join(path, name))
    if (foundPaths.length > MAX_TREE_ENTRIES || bytes > MAX_TREE_BYTES) return undefined
  }
  return foundPaths
}

async function readNames(path: string): Promise<readonly string[]> {
  const folder = await openFolder(path, { shouldCreate: false }).catch(() => undefined)
  if (folder === undefined) return []
  const names = await readdir(folder.at('.'), 'buffer').catch(() => [])
  await folder.close()
  return names.map((name) => toPathText(name))
}

/**
 * Returns the states of all paths that a call will write to, and the folders in which anything may change. Rejects if a path
 * no longer leads to what permission was decided for.
 */
export async function captureBefore(writes: readonly ChangedPath[], storeContent: HashContent) {
  const statesBefore: Record<string, EntryState> = {}
  const treeRoots: string[] = []
  let isPartial = false
  const pauseIfDue = createPacer()
  for (const change of writes) {
    const writtenPaths = await findWrittenPaths(change)
    for (const entry of writtenPaths.entries) {
      await pauseIfDue()
      statesBefore[entry] ??= await captureUnmoved(entry, storeContent)
    }
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
  const pauseIfDue = createPacer()
  for (const [path, oldState] of Object.entries(statesBefore)) {
    await pauseIfDue()
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

export async function findWrittenPaths({ path, entryPath, realPath }: ChangedPath): Promise<WrittenPaths> {
  if (!isAbsolute(path)) return { entries: [], trees: [] }
  const entry = entryPath ?? realPath ?? join(await resolveFolder(dirname(path)), basename(path))
  const target = realPath ?? (readStats(entry)?.isSymbolicLink() ? await resolveLinks(entry).catch(() => entry) : entry)
  const candidates = [...new Set([entry, target])]
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
