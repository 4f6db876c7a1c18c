import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { FileError } from '../../../contract/ports/file-error.js'
import type { ExpectedContent } from '../../../contract/ports/files.js'
import { readChunks } from './chunks.js'

/** Checks that a file has the expected content. Returns its stats, with which a later change can be detected. */
export async function checkFile(
  entryPath: string | Buffer,
  path: string,
  expected: ExpectedContent | undefined,
): Promise<BigIntStats | undefined> {
  const entryStats = statEntry(entryPath)
  if (entryStats === undefined) {
    if (expected === undefined || expected === 'absent') return undefined
    throw new FileError('missing', path, `${path} no longer exists.`)
  }
  if (entryStats.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  if (!entryStats.isFile()) throw new FileError('not_a_file', path, `${path} is not a regular file.`)
  if (expected === 'absent') throw new FileError('exists', path, `${path} already exists.`)
  if (expected === undefined) return entryStats
  const descriptor = openSync(entryPath, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const openedStats = fstatSync(descriptor, { bigint: true })
    const isUnchanged = 'content' in expected && isCertainlyUnchanged(expected.content, openedStats)
    if (!isUnchanged && !(await hasContent(descriptor, expected))) throw createChangedError(path)
    return openedStats
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the stats of the entry itself; undefined if nothing exists. Synchronous, so that no other code runs before the next
 * step.
 */
export function statEntry(entryPath: string | Buffer): BigIntStats | undefined {
  return lstatSync(entryPath, { bigint: true, throwIfNoEntry: false })
}

/**
 * Returns the number of other hard links to a replaced file, for the report: they keep the old content, because writing in
 * place to preserve them would not be atomic.
 */
export function countOtherNames(oldStats: BigIntStats | undefined): { readonly otherLinkCount?: number } {
  return oldStats === undefined || oldStats.nlink <= 1n ? {} : { otherLinkCount: Number(oldStats.nlink) - 1 }
}

export function createChangedError(path: string): FileError {
  return new FileError('changed', path, `${path} has changed in the meantime; read it again before changing it.`)
}

/**
 * Whether two stats show the same file in the same state. Only a write within one tick of the file system clock would be
 * missed.
 */
export function isSameFile(a: BigIntStats | undefined, b: BigIntStats | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const isSame = a.dev === b.dev && a.ino === b.ino && a.mode === b.mode && a.size === b.size
  return isSame && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs
}

const CHUNK_BYTES = 1024 ** 2
/** How many chunks are compared before yielding to the event loop. */
const MAX_CHUNKS_PER_TURN = 16

/** Whether an open file has the expected content. Needs constant memory. */
export async function hasContent(descriptor: number, expected: Exclude<ExpectedContent, 'absent'>): Promise<boolean> {
  if ('contentHash' in expected) return (await hashOpenFile(descriptor)) === expected.contentHash
  const { content } = expected
  const chunk = Buffer.allocUnsafe(Math.min(content.length + 1, CHUNK_BYTES))
  for (let at = 0, turn = 1; ; turn++) {
    // Synchronous, because the file was read just before and is still in the page cache.
    const length = readSync(descriptor, chunk, 0, chunk.length, at)
    if (length === 0) return at === content.length
    if (!chunk.subarray(0, length).equals(content.subarray(at, at + length))) return false
    at += length
    if (turn % MAX_CHUNKS_PER_TURN === 0) await setImmediate()
  }
}

/** Returns the SHA-256 of an open file. Needs constant memory. */
async function hashOpenFile(descriptor: number, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of readChunks(descriptor, { signal })) hash.update(chunk)
  return hash.digest('hex')
}

/** For smaller files, comparing the content is as fast as avoiding the comparison. */
const MIN_LARGE_BYTES = 1024 ** 2
/** Changes within one tick of the file system clock get the same time. The longest common tick is 2 s, on FAT. */
const MIN_SETTLED_NS = 2_000_000_000n

/**
 * The stats of files at the time when large content was read from them. Only stats whose times would show any later change are
 * kept.
 */
const settledStats = new WeakMap<Uint8Array, BigIntStats>()

/** Reads a file. Remembers its stats if it did not change for a while before the read and during it. */
export async function readSettled(descriptor: number, read: () => Promise<Buffer>): Promise<Buffer> {
  const statsBefore = fstatSync(descriptor, { bigint: true })
  const startNs = BigInt(Date.now()) * 1_000_000n
  const content = await read()
  if (content.length < MIN_LARGE_BYTES || startNs - statsBefore.ctimeNs < MIN_SETTLED_NS) return content
  if (isSameFile(statsBefore, fstatSync(descriptor, { bigint: true }))) settledStats.set(content, statsBefore)
  return content
}

/** Whether a file certainly still has the content that was read from it, without reading it again. */
function isCertainlyUnchanged(content: Uint8Array, now: BigIntStats): boolean {
  const state = settledStats.get(content)
  return state !== undefined && isSameFile(state, now)
}
