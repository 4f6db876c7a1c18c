import { lstatSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRUNE_EVERY_MS } from './retention.js'

const STAMP = 'pruned'

/** Whether a day has passed since somebody looked what can go from this folder. */
export function isPruneDue(folder: string, now = Date.now()): boolean {
  try {
    const last = lstatSync(join(folder, STAMP), { throwIfNoEntry: false })?.mtimeMs ?? 0
    return now - last >= PRUNE_EVERY_MS
  } catch {
    // Where nobody can look, as below a home that is no folder, there is nothing to remove.
    return false
  }
}

export function stampPruned(folder: string, now: number): void {
  const stamp = join(folder, STAMP)
  writeFileSync(stamp, '', { mode: 0o600 })
  utimesSync(stamp, now / 1000, now / 1000)
}
