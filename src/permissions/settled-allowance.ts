import { hasDefault } from '../contract/build-tool.js'
import type { Tool } from '../contract/tool.js'
import type { CompiledRules } from './compile-rules.js'
import type { DecisionRequest } from './decision-request.js'
import { namesOf } from './names-of.js'
import type { PermissionOutcome } from './permission-outcome.js'
import { RULE_FAMILIES } from './rule-families.js'

const settled = new WeakMap<CompiledRules, WeakMap<Tool, PermissionOutcome>>()

/** What was decided for every call of this tool under these rules, whatever its input. */
export function settledAllowance(rules: CompiledRules, { tool, hook }: DecisionRequest): PermissionOutcome | undefined {
  return hook === undefined ? settled.get(rules)?.get(tool) : undefined
}

/** Keeps an allowance that no input of the tool can change: a rule allows the whole tool, and nothing looks at the input. */
export function settleAllowance(
  rules: CompiledRules,
  { tool, hook, permissions }: DecisionRequest,
  outcome: PermissionOutcome,
): void {
  if (outcome.behavior !== 'allow' || outcome.reason.type !== 'rule' || outcome.updatedInput !== undefined) return
  if (hook !== undefined || permissions.mode !== 'default' || !isBlind(tool)) return
  if (namesOf(tool).some((name) => hasContentRule(rules, name))) return
  Object.freeze(outcome.trace)
  const known = settled.get(rules) ?? new WeakMap<Tool, PermissionOutcome>()
  settled.set(rules, known.set(tool, Object.freeze(outcome)))
}

/** Whether nothing that permission asks about depends on what the tool is called with. */
function isBlind(tool: Tool): boolean {
  const { needs, getPath, resources, isOpenWorld, preparePermissionMatcher, isMcp, mcpInfo } = tool
  const looks = [needs, getPath, resources, isOpenWorld, preparePermissionMatcher, mcpInfo]
  return (
    Object.isFrozen(tool) &&
    isMcp !== true &&
    looks.every((each) => each === undefined) &&
    hasDefault(tool, 'checkPermissions') &&
    !namesOf(tool).includes(RULE_FAMILIES.commands)
  )
}

function hasContentRule({ deny, ask, allow }: CompiledRules, name: string): boolean {
  return [deny, ask, allow].some(({ withContent }) => withContent.has(name))
}
