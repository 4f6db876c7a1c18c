import { lstatSync, utimesSync, writeFileSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pruneCheckpoints } from './prune-checkpoints.js'
import { PRUNE_EVERY_MS, RETENTION } from './retention.js'

/** Prunes the checkpoints of a project once a day. A failure is left to the next time. */
export async function pruneWhenDue(folder: string, now = Date.now()): Promise<void> {
  const stamp = join(folder, 'pruned')
  try {
    if (changedAt(join(folder, 'log.jsonl')) === undefined) return
    if (now - (changedAt(stamp) ?? 0) < PRUNE_EVERY_MS) return
    renew(stamp, now)
    await pruneCheckpoints(folder, RETENTION, now)
  } catch {
    // Nothing is lost by it: what could be undone still can.
  }
}

/** Prunes, once a day, projects to which nothing was added for so long that all of it is too old. */
export async function pruneForgottenProjects(root: string, now = Date.now()): Promise<void> {
  const stamp = join(root, 'pruned')
  try {
    if (now - (changedAt(stamp) ?? 0) < PRUNE_EVERY_MS) return
    const names = await readdir(root)
    renew(stamp, now)
    for (const folder of names.map((name) => join(root, name))) {
      const last = changedAt(join(folder, 'log.jsonl')) ?? changedAt(join(folder, 'blobs'))
      if (last !== undefined && now - last > RETENTION.maxAgeMs) await pruneWhole(folder, now)
    }
  } catch {
    // There is nothing to prune yet, or it is left to the next time.
  }
}

/** A folder goes only where nothing is left in it. */
async function pruneWhole(folder: string, now: number): Promise<void> {
  await pruneCheckpoints(folder, RETENTION, now)
  await rm(join(folder, 'pruned'), { force: true })
  await rmdir(join(folder, 'blobs')).catch(() => undefined)
  await rmdir(folder).catch(() => undefined)
}

function changedAt(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
}

function renew(stamp: string, now: number): void {
  writeFileSync(stamp, '', { mode: 0o600 })
  utimesSync(stamp, now / 1000, now / 1000)
}
