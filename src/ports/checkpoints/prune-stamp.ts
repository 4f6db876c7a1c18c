import { existsSync, lstatSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRUNE_EVERY_MS } from './retention.js'

const STAMP = 'pruned'

/** True if this folder exists and was not pruned in the last day. */
export function isPruneDue(folder: string, now = Date.now()): boolean {
  try {
    const stamp = lstatSync(join(folder, STAMP), { throwIfNoEntry: false })
    return stamp === undefined ? existsSync(folder) : now - stamp.mtimeMs >= PRUNE_EVERY_MS
  } catch {
    // The folder cannot be read, for example because the home is not a folder: there is nothing to remove.
    return false
  }
}

export function stampPruned(folder: string, now: number): void {
  const stamp = join(folder, STAMP)
  writeFileSync(stamp, '', { mode: 0o600 })
  utimesSync(stamp, now / 1000, now / 1000)
}
