import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { hasErrorCode } from '../files/file-failure.js'
import { CheckpointLog, type CheckpointRecord, shortenLog } from './checkpoint-log.js'
import type { EntryState } from './entry-state.js'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/** How much undo history is kept. The oldest is removed first. */
export interface Retention {
  readonly maxAgeMs: number
  /** The limit for one project, including the log and all content that it refers to. */
  readonly maxBytes: number
  /**
   * How long unreferenced content is kept, because it may belong to a call that is not in the log yet. A process that relies
   * on stored content checks it again well before this time ends.
   */
  readonly graceMs: number
}

export const DEFAULT_RETENTION: Retention = { maxAgeMs: 30 * DAY_MS, maxBytes: 1024 ** 3, graceMs: HOUR_MS }

/** A process prunes each time it has stored this much, even if it has already pruned today. */
export const PRUNE_AFTER_BYTES = 128 * 1024 ** 2

/** The lock expires after this time, because the end of a process on another machine cannot be detected. */
const MAX_PRUNING_MS = 24 * 60 * 60 * 1000

/**
 * Removes the oldest checkpoints of a project and the content that no other checkpoint needs. Other processes may add
 * checkpoints at the same time. Does nothing if another process is pruning.
 */
export async function pruneCheckpoints(folder: string, retention: Retention = DEFAULT_RETENTION, now = Date.now()) {
  makeFolder(folder)
  const lock = tryLock(join(folder, 'pruning.lock'), { staleAfterMs: MAX_PRUNING_MS })
  if (lock === undefined) return
  try {
    const log = join(folder, 'log.jsonl')
    const records = await new CheckpointLog(log).read()
    const keptRecords = selectRecordsToKeep(records, retention, now)
    const ids = new Set(keptRecords.map(({ id }) => id))
    if (keptRecords.length < records.length) await shortenLog(log, (id) => ids.has(id))
    await removeContent(join(folder, 'blobs'), {
      neededHashes: collectHashes(keptRecords),
      beforeMs: now - retention.graceMs,
    })
  } finally {
    lock.release()
  }
}

/**
 * Drops records that are too old, then the oldest remaining records until the size limit is met. The newest record is
 * dropped only if it is too old. Records are dropped only from the start, because a rewind also undoes all later calls.
 */
function selectRecordsToKeep(records: readonly CheckpointRecord[], { maxAgeMs, maxBytes }: Retention, now: number) {
  const firstRecentIndex = records.findIndex(({ at }) => now - at <= maxAgeMs)
  const recentRecords = firstRecentIndex === -1 ? [] : records.slice(firstRecentIndex)
  const countedHashes = new Set<string>()
  let bytes = 0
  const lastBeyondLimit = recentRecords.findLastIndex((record, index) => {
    bytes += JSON.stringify(record).length
    for (const state of listStates(record)) {
      if (state.kind !== 'file' || countedHashes.has(state.hash)) continue
      countedHashes.add(state.hash)
      bytes += state.size
    }
    return bytes > maxBytes && index < recentRecords.length - 1
  })
  return recentRecords.slice(lastBeyondLimit + 1)
}

function collectHashes(records: readonly CheckpointRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(listStates).flatMap((state) => (state.kind === 'file' ? [state.hash] : [])))
}

function listStates({ before, goal = {} }: CheckpointRecord): readonly EntryState[] {
  return [...Object.values(before), ...Object.values(goal)]
}

interface RemovalOptions {
  readonly neededHashes: ReadonlySet<string>
  /** Content that was stored or used after this time is kept. */
  readonly beforeMs: number
}

async function removeContent(blobs: string, { neededHashes, beforeMs }: RemovalOptions): Promise<void> {
  for (const prefix of await listNames(blobs)) {
    const folder = join(blobs, prefix)
    for (const suffix of await listNames(folder)) {
      if (!neededHashes.has(prefix + suffix)) await removeIfOld(join(folder, suffix), beforeMs)
    }
    // Removing a folder that is not empty fails, which is intended.
    await rmdir(folder).catch(() => undefined)
  }
}

async function removeIfOld(path: string, beforeMs: number): Promise<void> {
  if (!(await isOlder(path, beforeMs))) return
  const unneededPath = `${path}.unneeded`
  try {
    await rename(path, unneededPath)
    // Checked again, because another process may have marked the content as used before the rename. After the rename, other
    // processes do not find the content and store it again.
    if (await isOlder(unneededPath, beforeMs)) await rm(unneededPath)
    else await rename(unneededPath, path)
  } catch (error) {
    if (!hasErrorCode(error, 'ENOENT')) throw error
  }
}

async function isOlder(path: string, time: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  return stats !== undefined && stats.mtimeMs < time
}

async function listNames(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => [])
}
