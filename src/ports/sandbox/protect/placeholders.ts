import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../../system/make-folder.js'
import { formatIdentity, hasEnded } from '../../../system/processes/process-identity.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { lookAt } from '../look-at.js'
import { OWN_FOLDER_CONTENT } from './git-control.js'

let markCount = 0

/** An empty folder or, with a content, a file. */
export interface Placeholder {
  readonly path: string
  readonly content?: string | undefined
}

/** The longest content of a placeholder. It means the same to git as a missing file. */
const MAX_CONTENT_BYTES = OWN_FOLDER_CONTENT.length

/**
 * Empty folders and files that block names while a command runs, because only existing paths can be mount points. Removing a placeholder would
 * unblock its name for every running sandbox. So each sandbox adds a mark to a common folder, and the last sandbox to end removes
 * the placeholder.
 */
export class Placeholders {
  constructor(private readonly marksFolder: string) {}

  /** Whether a path is a placeholder that is still empty, possibly left by a killed process. */
  readonly includes = (path: string): boolean => existsSync(this.toMarksFolder(path)) && isBlank(path)

  /** Creates placeholders and returns the function that removes them. */
  hold(wantedPlaceholders: readonly Placeholder[]): () => void {
    const placeholders = wantedPlaceholders.map(({ path }) => ({ path, mark: this.addMark(path) }))
    const release = () => {
      for (const { path, mark } of placeholders) removePlaceholder(path, mark)
    }
    try {
      for (const placeholder of wantedPlaceholders) createPlaceholder(placeholder)
    } catch (error) {
      release()
      throw error
    }
    return release
  }

  private addMark(path: string): string {
    const folder = this.toMarksFolder(path)
    makeFolder(folder)
    const markPath = join(folder, `${formatIdentity()}-${markCount++}`)
    writeFileSync(markPath, '')
    return markPath
  }

  private toMarksFolder(path: string): string {
    return join(this.marksFolder, createHash('sha256').update(path).digest('hex'))
  }
}

function removePlaceholder(path: string, markPath: string): void {
  rmSync(markPath, { force: true })
  const folder = dirname(markPath)
  for (const name of listNames(folder)) {
    if (!hasEnded(name.slice(0, name.lastIndexOf('-')))) return
    rmSync(join(folder, name), { force: true })
  }
  if (isBlank(path)) removeBlank(path)
  removeEmpty(folder)
}

function createPlaceholder({ path, content }: Placeholder): void {
  if (content === undefined) makeFolder(path, { mode: 0o777 })
  // An existing file is the placeholder of another command.
  else if (lookAt(path) === undefined) writeFileSync(path, content)
}

/** Whether a path is still as empty as a placeholder. */
function isBlank(path: string): boolean {
  const foundEntry = lookAt(path)
  if (foundEntry?.isDirectory()) return readdirSync(path).length === 0
  if (foundEntry?.isFile() !== true) return false
  const readResult = readRegularText(path, { maxBytes: MAX_CONTENT_BYTES, followsLinks: false })
  return readResult.kind === 'found' && ['', OWN_FOLDER_CONTENT].includes(readResult.content)
}

function listNames(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function removeBlank(path: string): void {
  if (lookAt(path)?.isDirectory()) removeEmpty(path)
  else rmSync(path, { force: true })
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Removed already, or filled by another program: it is no longer a placeholder.
  }
}
