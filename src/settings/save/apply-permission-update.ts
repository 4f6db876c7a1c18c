import { homedir } from 'node:os'
import {
  RULE_SOURCES,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from '../../contract/permission/context.js'
import type { PermissionUpdate } from '../../contract/permission/result.js'
import { deepFreeze } from '../../shared/deep-freeze.js'
import { type DirectoryFolders, directoryBaseOf, resolveDirectory } from '../files/resolve-directory.js'
import { findUpdateRefusal, NO_RESTRICTIONS, type PermissionRestrictions } from '../merge/restrict-layers.js'
import { changeRules, type RulesUpdate } from '../read/rule-lists.js'

const LIST_KEYS = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const

/**
 * Returns the context after an update, deeply frozen. Unchanged parts keep their identity. An update that changes
 * nothing, or that the restrictions refuse (see `findUpdateRefusal`), returns the same context.
 * Directories are compared and added by absolute path.
 */
export function applyPermissionUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  restrictions: PermissionRestrictions = NO_RESTRICTIONS,
  folders?: DirectoryFolders,
): ToolPermissionContext {
  if (findUpdateRefusal(update, restrictions) !== undefined) return context
  const changedParts = computeChangedParts(context, update, folders)
  return changedParts === undefined ? context : deepFreeze({ ...context, ...changedParts })
}

function computeChangedParts(
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

function withRules(rulesBySource: RulesBySource, update: RulesUpdate): RulesBySource {
  const currentRules = rulesBySource[update.destination] ?? []
  const rules = changeRules(currentRules, update)
  if (rules === currentRules) return rulesBySource
  const updatedRules = { ...rulesBySource, [update.destination]: rules }
  // Readers expect the sources highest first; empty lists are dropped.
  return Object.fromEntries(
    RULE_SOURCES.flatMap((source) => {
      const list = updatedRules[source]
      return list === undefined || list.length === 0 ? [] : [[source, list]]
    }),
  )
}

function withDirectories(
  currentDirectories: readonly WorkingDirectory[],
  { type, destination, directories }: Extract<PermissionUpdate, { readonly directories: unknown }>,
  folders: DirectoryFolders = getProcessFolders(),
): readonly WorkingDirectory[] | undefined {
  const pathOptions = { base: directoryBaseOf(destination, folders), home: folders.home }
  const toAbsolute = (path: string) => resolveDirectory(path, pathOptions)
  const namedPaths = new Set(directories.map(toAbsolute))
  const ownDirectories = currentDirectories.filter(({ source }) => source === destination)
  if (type === 'removeDirectories') {
    const removedDirectories = new Set(ownDirectories.filter(({ path }) => namedPaths.has(toAbsolute(path))))
    return removedDirectories.size === 0
      ? undefined
      : currentDirectories.filter((directory) => !removedDirectories.has(directory))
  }
  const knownPaths = new Set(ownDirectories.map(({ path }) => toAbsolute(path)))
  const addedPaths = [...namedPaths].filter((path) => !knownPaths.has(path))
  return addedPaths.length === 0
    ? undefined
    : [...currentDirectories, ...addedPaths.map((path) => ({ path, source: destination }))]
}

function getProcessFolders(): DirectoryFolders {
  const cwd = process.cwd()
  return { cwd, projectRoot: cwd, home: homedir() }
}
