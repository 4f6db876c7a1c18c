import {
  RULE_SOURCES,
  type RulesBySource,
  type ToolPermissionContext,
  type WorkingDirectory,
} from '../contract/permission-context.js'
import type { PermissionUpdate } from '../contract/permission-result.js'
import { deepFreeze } from '../shared/deep-freeze.js'
import { changeRules, type RulesUpdate } from './change-rules.js'
import type { PermissionRestrictions } from './restrict-layers.js'
import { NO_RESTRICTIONS, updateRefusal } from './update-refusal.js'

const LIST_KEYS = { allow: 'alwaysAllowRules', deny: 'alwaysDenyRules', ask: 'alwaysAskRules' } as const

/**
 * The context after an update, deeply frozen. Parts that do not change keep their identity, and an update that changes
 * nothing, or that the restrictions refuse (`updateRefusal` tells why), gives the same context.
 */
export function applyPermissionUpdate(
  context: ToolPermissionContext,
  update: PermissionUpdate,
  restrictions: PermissionRestrictions = NO_RESTRICTIONS,
): ToolPermissionContext {
  if (updateRefusal(update, restrictions) !== undefined) return context
  const changed = changedParts(context, update)
  return changed === undefined ? context : deepFreeze({ ...context, ...changed })
}

function changedParts(
  context: ToolPermissionContext,
  update: PermissionUpdate,
): Partial<ToolPermissionContext> | undefined {
  if (update.type === 'setMode') return update.mode === context.mode ? undefined : { mode: update.mode }
  if ('behavior' in update) {
    const key = LIST_KEYS[update.behavior]
    const rules = withRules(context[key], update)
    return rules === context[key] ? undefined : { [key]: rules }
  }
  const directories = withDirectories(context.additionalWorkingDirectories, update)
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
): readonly WorkingDirectory[] | undefined {
  const has = (path: string) => present.some((known) => known.source === destination && known.path === path)
  if (type === 'removeDirectories') {
    if (!directories.some(has)) return undefined
    return present.filter(({ path, source }) => source !== destination || !directories.includes(path))
  }
  const added = [...new Set(directories)].filter((path) => !has(path))
  return added.length === 0 ? undefined : [...present, ...added.map((path) => ({ path, source: destination }))]
}
