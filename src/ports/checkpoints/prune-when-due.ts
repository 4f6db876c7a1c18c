import { lstatSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { claimPruning } from './checkpoints-folder.js'
import { DEFAULT_RETENTION, pruneCheckpoints } from './prune-checkpoints.js'

/** Prunes the checkpoints of a project once a day. A failure is ignored, because pruning is tried again a day later. */
export async function pruneWhenDue(folder: string, now = Date.now()): Promise<void> {
  try {
    if (!claimPruning(folder, now)) return
    await pruneCheckpoints(folder, DEFAULT_RETENTION, now)
  } catch {
    // Nothing is lost: everything can still be undone.
  }
}

/** Once a day, prunes the projects whose newest checkpoint is too old. */
export async function pruneForgottenProjects(root: string, now = Date.now()): Promise<void> {
  try {
    if (!claimPruning(root, now)) return
    const entries = await readdir(root, { withFileTypes: true })
    for (const folder of entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(root, name))) {
      const lastChangedAt =
        readModificationTime(join(folder, 'log.jsonl')) ?? readModificationTime(join(folder, 'blobs'))
      // A failure for one project must not stop the others.
      if (lastChangedAt !== undefined && now - lastChangedAt > DEFAULT_RETENTION.maxAgeMs)
        await pruneAndRemove(folder, now).catch(() => {})
    }
  } catch {
    // There are no checkpoints yet, or pruning failed and is tried again a day later.
  }
}

/** Prunes a project and removes its folders if they are empty. */
async function pruneAndRemove(folder: string, now: number): Promise<void> {
  await pruneCheckpoints(folder, DEFAULT_RETENTION, now)
  await rmdir(join(folder, 'blobs')).catch(() => undefined)
  await rm(join(folder, 'pruned'), { force: true })
  await rmdir(folder).catch(() => undefined)
}

function readModificationTime(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
}
