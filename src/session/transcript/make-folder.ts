import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** What others remove meanwhile is made again so often. */
const TRIES = 3

/**
 * Makes a folder that only its user can look into, and those above it. Node's own says ENOENT where a disk is read-only,
 * and never ends in /proc.
 */
export function makeFolder(path: string, tries = TRIES): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // By now it may be gone again; whoever uses it finds out.
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path || tries <= 1) throw error
    makeFolder(dirname(path))
    makeFolder(path, tries - 1)
  }
}
