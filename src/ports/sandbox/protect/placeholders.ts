import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../../system/processes/process-identity.js'

let markCount = 0

/**
 * Empty folders that block names while a command runs: only existing paths can be mount points. Removing one would
 * unblock the name for every running sandbox, so each sandbox adds a mark to a common folder, and the last one
 * removes the placeholder.
 */
export class Placeholders {
  constructor(private readonly marksFolder: string) {}

  /** Whether a path is an empty placeholder, possibly one that a killed process left behind. */
  readonly includes = (path: string): boolean =>
    existsSync(this.folderOf(path)) && existsSync(path) && readdirSync(path).length === 0

  /** Creates placeholders and returns the function that removes them. */
  hold(paths: readonly string[]): () => void {
    const placeholders = paths.map((path) => ({ path, mark: this.addMark(path) }))
    const release = () => {
      for (const { path, mark } of placeholders) removePlaceholder(path, mark)
    }
    try {
      for (const path of paths) makeFolder(path, { mode: 0o777 })
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  private addMark(path: string): string {
    const folder = this.folderOf(path)
    makeFolder(folder)
    const mark = join(folder, `${formatIdentity()}-${markCount++}`)
    writeFileSync(mark, '')
    return mark
  }

  private folderOf(path: string): string {
    return join(this.marksFolder, createHash('sha256').update(path).digest('hex'))
  }
}

function removePlaceholder(path: string, mark: string): void {
  rmSync(mark, { force: true })
  const folder = dirname(mark)
  for (const name of namesIn(folder)) {
    if (!hasEnded(name.slice(0, name.lastIndexOf('-')))) return
    rmSync(join(folder, name), { force: true })
  }
  removeEmpty(path)
  removeEmpty(folder)
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Removed already, or filled by another program: it is no longer a placeholder.
  }
}
