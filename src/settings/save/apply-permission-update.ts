import { homedir } from 'node:os'
import {
  RULE_SOURCES,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { type DirectoryFolders, directoryBase, resolveDirectory } from '../files/resolve-directory.js'
import { NO_RESTRICTIONS, type PermissionRestrictions, updateRefusal } from '../merge/restrict-layers.js'
import { changeRules, type RulesUpdate } from '../read/rule-lists.js'

const LIST_KEYS = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const

/**
 * The context after an update, deeply frozen. Parts that do not change keep their identity, and an update that changes
 * nothing, or that the restrictions refuse (`updateRefusal` tells why), gives the same context.
 * Directories are compared, and added, by the absolute path that they mean.
 */
export function applyPermissionUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  restrictions: PermissionRestrictions = NO_RESTRICTIONS,
  folders?: DirectoryFolders,
): ToolPermissionContext {
  if (updateRefusal(update, restrictions) !== undefined) return context
  const changed = changedParts(context, update, folders)
  return changed === undefined ? context : deepFreeze({ ...context, ...changed })
}

function changedParts(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  folders: DirectoryFolders | undefined,
): Partial<ToolPermissionContext> | undefined {
  if (update.type === 'setMode') return update.mode === context.mode ? undefined : { mode: update.mode }
  if ('behavior' in update) {
    const key = LIST_KEYS[update.behavior]
    const rules = withRules(context[key], update)
    return rules === context[key] ? undefined : { [key]: rules }
  }
  const directories = withDirectories(context.additionalWorkingDirectories, update, folders)
  return directories && { additionalWorkingDirectories: directories }
}

function withRules(bySource: RulesBySource, update: RulesUpdate): RulesBySource {
  const present = bySource[update.destination] ?? []
  const rules = changeRules(present, update)
  if (rules === present) return bySource
  const next = { ...bySource, [update.destination]: rules }
  // Readers go over the sources highest first, and take no notice of empty lists.
  return Object.fromEntries(
    RULE_SOURCES.flatMap((source) => {
      const list = next[source]
      return list === undefined || list.length === 0 ? [] : [[source, list]]
    }),
  )
}

function withDirectories(
  present: readonly WorkingDirectory[],
  { type, destination, directories }: Extract<PermissionUpdate, { readonly directories: unknown }>,
  folders: DirectoryFolders = processFolders(),
): readonly WorkingDirectory[] | undefined {
  const place = { base: directoryBase(destination, folders), home: folders.home }
  const meaning = (path: string) => resolveDirectory(path, place)
  const meant = new Set(directories.map(meaning))
  const own = present.filter(({ source }) => source === destination)
  if (type === 'removeDirectories') {
    const gone = new Set(own.filter(({ path }) => meant.has(meaning(path))))
    return gone.size === 0 ? undefined : present.filter((directory) => !gone.has(directory))
  }
  const known = new Set(own.map(({ path }) => meaning(path)))
  const added = [...meant].filter((path) => !known.has(path))
  return added.length === 0 ? undefined : [...present, ...added.map((path) => ({ path, source: destination }))]
}

function processFolders(): DirectoryFolders {
  const cwd = process.cwd()
  return { cwd, projectRoot: cwd, home: homedir() }
}
