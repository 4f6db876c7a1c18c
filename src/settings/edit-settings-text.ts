import type { PermissionUpdate } from '../contract/permission-result.js'
import { changeRules } from './change-rules.js'
import { JsoncEditError, setJsoncList, setJsoncValue } from './edit-jsonc.js'
import { childAt, jsoncValue } from './jsonc-node.js'
import { parseJsonc } from './parse-jsonc.js'
import { resolveDirectory } from './resolve-directory.js'

interface Folders {
  readonly base: string
  readonly home: string
}

type DirectoriesUpdate = Extract<PermissionUpdate, { readonly directories: unknown }>

const NEW_FILE = '{}\n'

/** The text of a settings file after an update. Empty text stands for a file that is not there. */
export function editSettingsText(text: string, update: PermissionUpdate, folders: Folders): string {
  if (update.type === 'setMode') return setJsoncValue(text || NEW_FILE, ['permissions', 'defaultMode'], update.mode)
  if ('behavior' in update) return editList(text, update.behavior, (present) => changeRules(present, update))
  return editList(text, 'additionalDirectories', (present) => changeDirectories(present, update, folders))
}

function editList(text: string, key: string, change: (present: readonly string[]) => readonly string[]): string {
  const present = text === '' ? [] : listAt(text, key)
  const wanted = change(present)
  return wanted === present ? text : setJsoncList(text || NEW_FILE, ['permissions', key], wanted)
}

/** Files may write a directory in several ways: they are compared by what they mean. */
function changeDirectories(
  present: readonly string[],
  { type, directories }: DirectoriesUpdate,
  folders: Folders,
): readonly string[] {
  const meant = new Set(directories.map((path) => resolveDirectory(path, folders)))
  const known = new Set(present.map((path) => resolveDirectory(path, folders)))
  if (type === 'removeDirectories') {
    const kept = present.filter((path) => !meant.has(resolveDirectory(path, folders)))
    return kept.length === present.length ? present : kept
  }
  const added = [...meant].filter((path) => !known.has(path))
  return added.length === 0 ? present : [...present, ...added]
}

/** The list under `permissions`; anything but strings in it is for its author to correct first. */
function listAt(text: string, key: string): readonly string[] {
  const { root, fault } = parseJsonc(text)
  if (root === undefined || fault !== undefined) throw new JsoncEditError(`the file ${fault?.message ?? 'is empty'}`)
  const permissions = childAt(root, 'permissions')
  const list = permissions && childAt(permissions, key)
  if (list === undefined) return []
  const items = jsoncValue(list)
  if (Array.isArray(items) && items.every((item) => typeof item === 'string')) return items
  throw new JsoncEditError(`permissions.${key} is not a list of strings`)
}
