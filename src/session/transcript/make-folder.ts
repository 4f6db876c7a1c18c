import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder that only its user can look into, and those above it. Node's own says ENOENT where a disk is read-only. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // By now it may be gone again; whoever uses it finds out.
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    makeFolder(dirname(path))
    makeFolder(path)
  }
}
