import { existsSync, lstatSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PRUNE_EVERY_MS, pruneCheckpoints, RETENTION } from './prune-checkpoints.js'

/** Prunes the checkpoints of a project once a day. A failure is ignored: pruning is tried again a day later. */
export async function pruneWhenDue(folder: string, now = Date.now()): Promise<void> {
  try {
    if (!isPruneDue(folder, now)) return
    stampPruned(folder, now)
    await pruneCheckpoints(folder, RETENTION, now)
  } catch {
    // Nothing is lost: everything can still be undone.
  }
}

/** Once a day, prunes projects whose newest checkpoint is too old. */
export async function pruneForgottenProjects(root: string, now = Date.now()): Promise<void> {
  try {
    if (!isPruneDue(root, now)) return
    const entries = await readdir(root, { withFileTypes: true })
    stampPruned(root, now)
    for (const folder of entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name))) {
      const lastChangedAt = modificationTimeOf(join(folder, 'log.jsonl')) ?? modificationTimeOf(join(folder, 'blobs'))
      // A failure for one project must not stop the others.
      if (lastChangedAt !== undefined && now - lastChangedAt > RETENTION.maxAgeMs)
        await pruneAndRemove(folder, now).catch(() => {})
    }
  } catch {
    // There is nothing to prune yet, or the next time tries again.
  }
}

/** Prunes a project and removes its folders if they are empty. */
async function pruneAndRemove(folder: string, now: number): Promise<void> {
  await pruneCheckpoints(folder, RETENTION, now)
  await rmdir(join(folder, 'blobs')).catch(() => undefined)
  await rm(join(folder, 'pruned'), { force: true })
  await rmdir(folder).catch(() => undefined)
}

function modificationTimeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
}

const STAMP = 'pruned'

/** True if this folder exists and was not pruned in the last day. */
export function isPruneDue(folder: string, now = Date.now()): boolean {
  try {
    const stamp = lstatSync(join(folder, STAMP), { throwIfNoEntry: false })
    return stamp === undefined ? existsSync(folder) : now - stamp.mtimeMs >= PRUNE_EVERY_MS
  } catch {
    // The folder cannot be read, for example because the home directory is missing: there is nothing to remove.
    return false
  }
}

function stampPruned(folder: string, now: number): void {
  const stamp = join(folder, STAMP)
  writeFileSync(stamp, '', { mode: 0o600 })
  utimesSync(stamp, now / 1000, now / 1000)
}
