import { dirname } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { reasonOf } from '../../shared/reason-of.js'
import { withFileLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { writeFileAtomically } from '../../system/write-file-atomically.js'
import { readTextFile } from '../files/read-text-file.js'
import { realPath } from '../files/real-path.js'
import { JsoncEditError } from '../jsonc/edit-jsonc.js'

/** A change that was not saved; the file is as it was. */
export class SettingsSaveError extends Error {
  override readonly name = 'SettingsSaveError'
}

export interface ChangeOptions {
  /** The project that the file belongs to: a link that a clone may have laid out of it is not followed. */
  readonly projectRoot?: string
  /** The mode of a new file; the process's default unless given. */
  readonly mode?: number
}

/**
 * Changes the text of a settings file, in one step and while no other process does; empty text stands for no file.
 * True if it changed. Throws `SettingsSaveError` where it is broken or cannot be written.
 */
export async function changeSettingsFile(
  path: string,
  edit: (text: string) => string,
  { projectRoot, mode }: ChangeOptions,
): Promise<boolean> {
  const file = await realPath(path)
  if (projectRoot !== undefined && !isPathInside(file, projectRoot))
    throw new SettingsSaveError(`${path} leads out of the project, to ${file}; nothing was saved.`)
  try {
    makeFolder(dirname(file), { mode: 0o777 })
    return await withFileLock(file, async (checkHeld) => {
      const before = await textOf(file)
      const after = edited(file, before, edit)
      if (after === before) return false
      await writeFileAtomically(file, after, { mode, beforeRename: checkHeld })
      return true
    })
  } catch (error) {
    if (error instanceof SettingsSaveError) throw error
    throw new SettingsSaveError(`${file} was not written: ${reasonOf(error)}`, { cause: error })
  }
}

async function textOf(file: string): Promise<string> {
  const read = await readTextFile(file)
  if (read.kind === 'failed') throw new SettingsSaveError(`${file} ${read.reason}; nothing was saved.`)
  return read.kind === 'absent' || read.text.trim() === '' ? '' : read.text
}

function edited(file: string, text: string, edit: (text: string) => string): string {
  try {
    return edit(text)
  } catch (error) {
    if (!(error instanceof JsoncEditError)) throw error
    throw new SettingsSaveError(`${file}: ${error.message}; correct it first. Nothing was saved.`, { cause: error })
  }
}
