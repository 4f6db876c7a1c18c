import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderNow } from './sync-to-disk.js'

/** How often to try to create a folder whose parent another process keeps removing. */
const MAX_TRIES = 3

export interface MakeFolderOptions {
  /** Default: 0o700, so that only the owner has access. */
  readonly mode?: number
  /** Whether the folders must survive a power failure. Default: false. */
  readonly isDurable?: boolean
}

/**
 * Creates a folder and its parents. Node's own `recursive` option reports ENOENT on a read-only disk and loops forever in
 * /proc.
 */
export function makeFolder(path: string, { mode = 0o700, isDurable = false }: MakeFolderOptions = {}): void {
  makeWithRetries(path, MAX_TRIES)

  function makeWithRetries(folder: string, remainingTries: number): void {
    try {
      mkdirSync(folder, { mode })
      if (isDurable) syncFolderNow(dirname(folder))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // If this is a file, or the folder is removed again at once, the caller notices when it uses the folder.
      if (code === 'EEXIST') return
      if (code !== 'ENOENT' || dirname(folder) === folder || remainingTries <= 1) throw error
      makeWithRetries(dirname(folder), MAX_TRIES)
      makeWithRetries(folder, remainingTries - 1)
    }
  }
}
