import type { ToolPermissionContext } from '../../contract/permission/context.js'
import { RULE_FAMILIES } from '../../contract/tool/rule-names.js'
import { type Place, startDirOf } from '../paths/place.js'
import { compileRules } from './compile-rules.js'
import { baseOf, floatingNameOf } from './match-path.js'
import type { PathPattern } from './path-pattern.js'

/**
 * The files and folders that deny rules for reading name without wildcards, for the sandbox. A name that rules cover at
 * any depth, such as `.env`, is listed for the folder that rules start from. Other patterns are left to the permission check.
 */
export function listDeniedReads(context: ToolPermissionContext, place: Place): readonly string[] {
  const rules = compileRules(context).deny.withContent.get(RULE_FAMILIES.reads) ?? []
  return rules.flatMap(({ path }) => (path === undefined ? [] : exactPathOf(path, place)))
}

function exactPathOf(pattern: PathPattern, place: Place): readonly string[] {
  const { literal, restricting } = pattern
  const floatingName = floatingNameOf(pattern)
  const hasWildcards = restricting.length > 1 && floatingName === undefined
  const names = [...literal, ...(floatingName === undefined ? [] : [floatingName])]
  // A rule for a whole base folder is left out: hiding the project would leave no command to run.
  if (hasWildcards || names.length === 0) return []
  return [[baseOf(pattern, place, startDirOf(place)).replace(/\/$/, ''), ...names].join('/')]
}
