import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { PermissionUpdate, UpdateDestination } from '../contract/permission-result.js'
import { reasonOf } from '../shared/reason-of.js'
import { JsoncEditError } from './edit-jsonc.js'
import { editSettingsText } from './edit-settings-text.js'
import { isWithin } from './is-within.js'
import { readTextFile } from './read-text-file.js'
import { realPath } from './real-path.js'
import { type RemainingRule, remainingRules } from './remaining-rules.js'
import { directoryBase } from './resolve-directory.js'
import type { PermissionRestrictions } from './restrict-layers.js'
import { ownSettingsFile } from './settings-files.js'
import { NO_RESTRICTIONS, updateRefusal } from './update-refusal.js'
import { withFileLock } from './with-file-lock.js'
import { writeFileAtomically } from './write-file-atomically.js'

export interface SavePlaces extends Places {
  readonly restrictions?: PermissionRestrictions
}

/** An update that was not saved; the file is as it was. */
export class SettingsSaveError extends Error {
  override readonly name = 'SettingsSaveError'
}

interface Places {
  readonly projectRoot: string
  readonly home: string
}

type FileDestination = Exclude<UpdateDestination, 'session'>
const FILE_DESTINATIONS: readonly FileDestination[] = ['localSettings', 'projectSettings', 'userSettings']

export interface SavedUpdates {
  /** The files that changed. */
  readonly files: readonly string[]
  /** Removed rules that stay in force, since a file that Haft does not write holds them, too. */
  readonly remaining: readonly RemainingRule[]
}

/**
 * Writes updates to the files of their destinations; `session` has none. Everything else in a file stays, comments too.
 * Throws `SettingsSaveError` where an update is refused, a file is broken or cannot be written.
 */
export async function savePermissionUpdates(
  updates: readonly PermissionUpdate[],
  { projectRoot, home, restrictions = NO_RESTRICTIONS }: SavePlaces,
): Promise<SavedUpdates> {
  for (const update of updates) {
    const refusal = updateRefusal(update, restrictions)
    if (refusal !== undefined) throw new SettingsSaveError(`${refusal} Nothing was saved.`)
  }
  const places = { projectRoot: await realPath(projectRoot), home: await realPath(home) }
  const files: string[] = []
  for (const destination of FILE_DESTINATIONS) {
    const own = updates.filter((update) => update.destination === destination)
    if (own.length > 0 && (await saveTo(destination, own, places))) files.push(ownSettingsFile(destination, places))
  }
  return { files, remaining: await remainingRules(updates, places) }
}

/** True if the file changed. */
async function saveTo(
  destination: FileDestination,
  updates: readonly PermissionUpdate[],
  places: Places,
): Promise<boolean> {
  const file = await targetOf(destination, places)
  const base = directoryBase(destination, { ...places, cwd: places.projectRoot })
  try {
    await mkdir(dirname(file), { recursive: true })
    return await withFileLock(file, async (stillHeld) => {
      const before = await textOf(file)
      const after = edited(file, before, updates, { base, home: places.home })
      if (after === before) return false
      const mode = destination === 'projectSettings' ? undefined : 0o600
      await writeFileAtomically(file, after, { mode, beforeRename: stillHeld })
      return true
    })
  } catch (error) {
    if (error instanceof SettingsSaveError) throw error
    const reason = reasonOf(error)
    throw new SettingsSaveError(`${file} was not written: ${reason}`, { cause: error })
  }
}

/** Links are followed, but none that a clone may have laid to a file outside of it. */
async function targetOf(destination: FileDestination, places: Places): Promise<string> {
  const file = ownSettingsFile(destination, places)
  const target = await realPath(file)
  if (destination !== 'userSettings' && !isWithin(target, places.projectRoot)) {
    throw new SettingsSaveError(`${file} leads out of the project, to ${target}; nothing was saved.`)
  }
  return target
}

async function textOf(file: string): Promise<string> {
  const read = await readTextFile(file)
  if (read.kind === 'failed') throw new SettingsSaveError(`${file} ${read.reason}; nothing was saved.`)
  return read.kind === 'absent' || read.text.trim() === '' ? '' : read.text
}

function edited(
  file: string,
  text: string,
  updates: readonly PermissionUpdate[],
  folders: { base: string; home: string },
): string {
  try {
    return updates.reduce((current, update) => editSettingsText(current, update, folders), text)
  } catch (error) {
    if (!(error instanceof JsoncEditError)) throw error
    throw new SettingsSaveError(`${file}: ${error.message}; correct it first. Nothing was saved.`, { cause: error })
  }
}
