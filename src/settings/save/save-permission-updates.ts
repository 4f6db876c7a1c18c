import type { PermissionUpdate, UpdateDestination } from '../../contract/permission/result.js'
import { directoryBaseOf, resolveDirectory } from '../files/resolve-directory.js'
import { resolveLinks } from '../files/resolve-real-path.js'
import { listSettingsFiles, settingsFileOf } from '../files/settings-files.js'
import { JsoncEditError, setJsoncList, setJsoncValue } from '../jsonc/edit-jsonc.js'
import { findChildAt, parseJsonc, toValue } from '../jsonc/parse-jsonc.js'
import { findUpdateRefusal, NO_RESTRICTIONS, type PermissionRestrictions } from '../merge/restrict-layers.js'
import { readSettingsFile } from '../read/read-settings.js'
import { changeRules } from '../read/rule-lists.js'
import { changeSettingsFile, SettingsSaveError } from './change-settings-file.js'

/** The folders whose settings files are changed, and restrictions that apply to changes. */
export interface SaveUpdatesOptions extends SettingsRoots {
  readonly restrictions?: PermissionRestrictions
}

interface SettingsRoots {
  readonly projectRoot: string
  readonly home: string
}

type FileDestination = Exclude<UpdateDestination, 'session'>
const FILE_DESTINATIONS: readonly FileDestination[] = ['localSettings', 'projectSettings', 'userSettings']

/** The result of `savePermissionUpdates`. */
export interface SavedUpdates {
  /** The files that changed. */
  readonly files: readonly string[]
  /** Removed rules that still apply, because a file of another agent contains them too. */
  readonly remaining: readonly RemainingRule[]
}

/**
 * Saves updates to the files of their destinations; `session` has none. The rest of a file stays, including comments.
 * Throws `SettingsSaveError` if an update is refused, or if a file is malformed or cannot be written.
 */
export async function savePermissionUpdates(
  updates: readonly PermissionUpdate[],
  { projectRoot, home, restrictions = NO_RESTRICTIONS }: SaveUpdatesOptions,
): Promise<SavedUpdates> {
  for (const update of updates) {
    const refusal = findUpdateRefusal(update, restrictions)
    if (refusal !== undefined) throw new SettingsSaveError(`${refusal} Nothing was saved.`)
  }
  const roots = { projectRoot: await resolveLinks(projectRoot), home: await resolveLinks(home) }
  const files: string[] = []
  for (const destination of FILE_DESTINATIONS) {
    const ownUpdates = updates.filter((update) => update.destination === destination)
    if (ownUpdates.length > 0 && (await saveTo(destination, ownUpdates, roots)))
      files.push(settingsFileOf(destination, roots))
  }
  return { files, remaining: await findRemainingRules(updates, roots) }
}

/** Returns whether the file changed. */
function saveTo(
  destination: FileDestination,
  updates: readonly PermissionUpdate[],
  roots: SettingsRoots,
): Promise<boolean> {
  const base = directoryBaseOf(destination, { ...roots, cwd: roots.projectRoot })
  const edit = (text: string) =>
    updates.reduce((currentText, update) => editSettingsText(currentText, update, { base, home: roots.home }), text)
  return changeSettingsFile(settingsFileOf(destination, roots), edit, {
    ...(destination !== 'userSettings' && { projectRoot: roots.projectRoot }),
    ...(destination !== 'projectSettings' && { mode: 0o600 }),
  })
}

interface BaseFolders {
  readonly base: string
  readonly home: string
}

type DirectoriesUpdate = Extract<PermissionUpdate, { readonly directories: unknown }>

const NEW_FILE_TEXT = '{}\n'

/** Returns the text of a settings file after an update. The text of a missing file is empty. */
export function editSettingsText(text: string, update: PermissionUpdate, folders: BaseFolders): string {
  if (update.type === 'setMode')
    return setJsoncValue(text || NEW_FILE_TEXT, ['permissions', 'defaultMode'], update.mode)
  if ('behavior' in update) return editList(text, update.behavior, (currentRules) => changeRules(currentRules, update))
  return editList(text, 'additionalDirectories', (currentDirectories) =>
    changeDirectories(currentDirectories, update, folders),
  )
}

function editList(text: string, key: string, change: (currentItems: readonly string[]) => readonly string[]): string {
  const currentItems = text === '' ? [] : readListAt(text, key)
  const target = change(currentItems)
  return target === currentItems ? text : setJsoncList(text || NEW_FILE_TEXT, ['permissions', key], target)
}

/**
 * Changes the directories in a settings file. They are compared by absolute path, because a file may contain the same one in
 * several spellings.
 */
function changeDirectories(
  currentDirectories: readonly string[],
  { type, directories }: DirectoriesUpdate,
  folders: BaseFolders,
): readonly string[] {
  const namedPaths = new Set(directories.map((path) => resolveDirectory(path, folders)))
  const currentPaths = new Set(currentDirectories.map((path) => resolveDirectory(path, folders)))
  if (type === 'removeDirectories') {
    const remainingDirectories = currentDirectories.filter((path) => !namedPaths.has(resolveDirectory(path, folders)))
    return remainingDirectories.length === currentDirectories.length ? currentDirectories : remainingDirectories
  }
  const addedPaths = [...namedPaths].filter((path) => !currentPaths.has(path))
  return addedPaths.length === 0 ? currentDirectories : [...currentDirectories, ...addedPaths]
}

/** Returns a list under `permissions`. Throws if it contains anything but strings. */
function readListAt(text: string, key: string): readonly string[] {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new JsoncEditError(fault?.message ?? 'the file is empty')
  const permissions = findChildAt(root, 'permissions')
  const list = permissions && findChildAt(permissions, key)
  if (list === undefined) return []
  const items = toValue(list)
  if (Array.isArray(items) && items.every((item) => typeof item === 'string')) return items
  throw new JsoncEditError(`permissions.${key} is not a list of strings`)
}

/** A rule that was removed from one file and is still in another file of the same source. */
export interface RemainingRule {
  readonly rule: string
  readonly file: string
}

/** Finds removed rules in files of other agents, which Haft reads but never writes. */
export async function findRemainingRules(
  updates: readonly PermissionUpdate[],
  roots: { projectRoot: string; home: string },
): Promise<readonly RemainingRule[]> {
  const removals = updates.filter((update) => 'rules' in update).filter(({ type }) => type !== 'addRules')
  const otherFiles = listSettingsFiles(roots).filter(({ dialect }) => dialect === 'claude')
  const searches = removals.flatMap((update) =>
    otherFiles
      .filter(({ source }) => source === update.destination)
      .map(async ({ path, source }) => {
        const claudeSettings = await readSettingsFile(path, source, 'claude')
        const namedRules = new Set(update.rules.map((rule) => rule.trim()))
        const isRemoved = (rule: string) => namedRules.has(rule.trim()) === (update.type === 'removeRules')
        const rules = claudeSettings?.settings.permissions?.[update.behavior] ?? []
        return rules.filter(isRemoved).map((rule) => ({ rule, file: path }))
      }),
  )
  return (await Promise.all(searches)).flat()
}
