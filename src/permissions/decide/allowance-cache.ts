import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { hasDefault, isCallReadOnly } from '../../contract/tool/traits.js'
import type { CompiledRules } from '../rules/compile-rules.js'
import type { PermissionOutcome } from './decision.js'
import type { DecisionRequest } from './decision-request.js'

interface CachedAllowance {
  readonly outcome: PermissionOutcome
  /** Whether the allow is valid only for calls that the tool declares read-only. */
  readonly isForReading: boolean
}

const cache = new WeakMap<CompiledRules, WeakMap<Tool, CachedAllowance>>()

/** Returns the cached allow for a tool under these rules, if it applies to this call. */
export function getCachedAllowance(
  rules: CompiledRules,
  { tool, hook, input, command }: DecisionRequest,
): PermissionOutcome | undefined {
  const cached = hook === undefined ? cache.get(rules)?.get(tool) : undefined
  if (cached === undefined || (cached.isForReading && !isCallReadOnly(tool, input, command))) return undefined
  return cached.outcome
}

/** Caches an allow that does not depend on the input: a rule allows the whole tool, or the call only reads. */
export function cacheAllowance(
  rules: CompiledRules,
  { tool, hook, permissions }: DecisionRequest,
  outcome: PermissionOutcome,
): void {
  const { behavior, reason, updatedInput } = outcome
  const isForReading = reason.type === 'directory'
  if (behavior !== 'allow' || updatedInput !== undefined || !(isForReading || reason.type === 'rule')) return
  if (hook !== undefined || permissions.mode !== 'default' || !ignoresInput(tool)) return
  if (ruleNamesOf(tool).some((name) => hasContentRule(rules, name))) return
  Object.freeze(outcome.trace)
  const allowanceByTool = cache.get(rules) ?? new WeakMap<Tool, CachedAllowance>()
  cache.set(rules, allowanceByTool.set(tool, { outcome: Object.freeze(outcome), isForReading }))
}

/** Whether the permission for a call of the tool cannot depend on its input. */
function ignoresInput(tool: Tool): boolean {
  const { needs, getPath, resources, isOpenWorld, preparePermissionMatcher, isMcp, mcpInfo } = tool
  const inputDependentMembers = [needs, getPath, resources, isOpenWorld, preparePermissionMatcher, mcpInfo]
  return (
    Object.isFrozen(tool) &&
    isMcp !== true &&
    inputDependentMembers.every((each) => each === undefined) &&
    hasDefault(tool, 'checkPermissions') &&
    !ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
  )
}

function hasContentRule({ deny, ask, allow }: CompiledRules, name: string): boolean {
  return [deny, ask, allow].some(({ contentRules }) => contentRules.has(name))
}
