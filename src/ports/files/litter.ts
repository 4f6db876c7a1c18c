import { readdir, rm } from 'node:fs/promises'
import { pathText } from '../../shared/path-bytes.js'
import { isAbandonedTemporary } from '../../system/write-file-atomically.js'
import type { FolderPlace } from './folder-place.js'

/** Removes temporary files of killed processes from the folders that are written to, once for each folder. */
export class LitterCleaner {
  readonly #seen = new Set<string>()
  #isAllowed = true

  /** Not while a file may still be needed to roll back an interrupted change. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed
  }

  async clean(folder: FolderPlace): Promise<void> {
    if (!this.#isAllowed || this.#seen.has(folder.path)) return
    this.#seen.add(folder.path)
    const names = await readdir(folder.at('.'), 'buffer').catch(() => [])
    for (const name of names.map(pathText).filter(isAbandonedTemporary)) {
      // A leftover that cannot be removed does no harm.
      await rm(folder.at(name), { force: true }).catch(() => {})
    }
  }
}
