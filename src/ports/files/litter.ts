import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { pathText } from '../../shared/path-bytes.js'
import type { FolderPlace } from './folder-place.js'
import { isOwnerGone, ownerMark } from './owner-mark.js'

const NAME = /^\.haft-([0-9a-f]+-\d+-\d+)-[0-9a-f]+\.tmp$/

/** A name for a file that is only there while its folder is changed; who is killed meanwhile leaves it behind. */
export function temporaryName(): string {
  return `.haft-${ownerMark()}-${randomBytes(6).toString('hex')}.tmp`
}

/** Removes what killed processes left behind in the folders that are written to, once for each folder. */
export class LitterCleaner {
  readonly #seen = new Set<string>()
  #isAllowed = true

  /** Not while some of it is still needed to take back a change that was stopped halfway. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed
  }

  async clean(folder: FolderPlace): Promise<void> {
    if (!this.#isAllowed || this.#seen.has(folder.path)) return
    this.#seen.add(folder.path)
    const names = await readdir(folder.at('.'), 'buffer').catch(() => [])
    for (const name of names.map(pathText)) {
      const mark = NAME.exec(name)?.[1]
      // What cannot be removed harms nobody.
      if (mark !== undefined && isOwnerGone(mark)) await rm(folder.at(name), { force: true }).catch(() => {})
    }
  }
}
