import type { PermissionUpdate, UpdateDestination } from '../contract/permission-result.js'
import { changeSettingsFile, SettingsSaveError } from './change-settings-file.js'
import { editSettingsText } from './edit-settings-text.js'
import { realPath } from './real-path.js'
import { type RemainingRule, remainingRules } from './remaining-rules.js'
import { directoryBase } from './resolve-directory.js'
import type { PermissionRestrictions } from './restrict-layers.js'
import { ownSettingsFile } from './settings-files.js'
import { NO_RESTRICTIONS, updateRefusal } from './update-refusal.js'

export interface SavePlaces extends Places {
  readonly restrictions?: PermissionRestrictions
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
function saveTo(destination: FileDestination, updates: readonly PermissionUpdate[], places: Places): Promise<boolean> {
  const base = directoryBase(destination, { ...places, cwd: places.projectRoot })
  const edit = (text: string) =>
    updates.reduce((current, update) => editSettingsText(current, update, { base, home: places.home }), text)
  return changeSettingsFile(ownSettingsFile(destination, places), edit, {
    ...(destination !== 'userSettings' && { projectRoot: places.projectRoot }),
    ...(destination !== 'projectSettings' && { mode: 0o600 }),
  })
}
