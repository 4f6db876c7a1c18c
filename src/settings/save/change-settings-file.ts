import { closeSync, openSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { toPathText } from '../../shared/path-bytes.js'
import { isPathInside } from '../../shared/path-containment.js'
import { reasonOf } from '../../shared/reason-of.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { CAN_HOLD_FOLDERS, FOLDER_FLAGS, findEntryBase } from '../../system/opened-path.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { readTextFile } from '../files/read-text-file.js'
import { resolveLinks } from '../files/resolve-real-path.js'
import { JsoncEditError } from '../jsonc/edit-jsonc.js'

/** A change could not be saved. The file is unchanged. */
export class SettingsSaveError extends Error {
  override readonly name = 'SettingsSaveError'
}

export interface ChangeOptions {
  /** The project of the file. Links to files outside the project are not followed, because a cloned project may contain one. */
  readonly projectRoot?: string
  /** The mode of a new file. Default: the default of the process. */
  readonly mode?: number
}

/**
 * Changes the text of a settings file atomically and under a lock. The text of a missing file is empty.
 * Returns whether the text changed. Throws `SettingsSaveError` if the file is malformed or cannot be written.
 */
export async function changeSettingsFile(
  path: string,
  edit: (text: string) => string,
  { projectRoot, mode }: ChangeOptions,
): Promise<boolean> {
  const file = await resolveLinks(path)
  if (projectRoot !== undefined && !isPathInside(file, projectRoot))
    throw new SettingsSaveError(
      `${path} is a link to ${file}, which is outside the project. Nothing was saved. Replace the link with a file.`,
    )
  try {
    makeFolder(dirname(file), { mode: 0o777, isDurable: true })
    return await withOpenFolder(file, async (target) =>
      withFileLock(target, async (checkLockHeld) => {
        const textBefore = await readText(target, file)
        const textAfter = applyEdit(file, textBefore, edit)
        if (textAfter === textBefore) return false
        await writeFileAtomically(target, textAfter, { mode, beforeRename: checkLockHeld })
        return true
      }),
    )
  } catch (error) {
    if (error instanceof SettingsSaveError) throw error
    const reason = reasonOf(error).replace(DESCRIPTOR_PATH, dirname(file))
    throw new SettingsSaveError(`cannot write ${file}: ${reason}`, { cause: error })
  }
}

const DESCRIPTOR_PATH = /\/proc\/self\/fd\/\d+/g

/**
 * Holds the folder of a file open and calls `work` with a path through it, so that the file that was judged is written even if
 * another process replaces the folder by a link meanwhile.
 */
async function withOpenFolder<T>(file: string, work: (target: string) => Promise<T>): Promise<T> {
  const folder = dirname(file)
  if (!CAN_HOLD_FOLDERS) return work(file)
  const descriptor = openSync(folder, FOLDER_FLAGS)
  try {
    const entryBase = findEntryBase(toPathText(Buffer.from(folder)), descriptor)
    if (entryBase === undefined)
      throw new SettingsSaveError(`${folder} was replaced while it was opened. Nothing was saved. Try again.`)
    return await work(join(entryBase, basename(file)))
  } finally {
    closeSync(descriptor)
  }
}

async function readText(target: string, file: string): Promise<string> {
  const textFile = await readTextFile(target)
  if (textFile.kind === 'failed') throw new SettingsSaveError(`${file} ${textFile.reason}; nothing was saved.`)
  return textFile.kind === 'absent' || textFile.text.trim() === '' ? '' : textFile.text
}

function applyEdit(file: string, text: string, edit: (text: string) => string): string {
  try {
    return edit(text)
  } catch (error) {
    if (!(error instanceof JsoncEditError)) throw error
    throw new SettingsSaveError(`${file}: ${error.message}. Fix the file first; nothing was saved.`, { cause: error })
  }
}
