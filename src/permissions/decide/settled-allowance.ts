import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { hasDefault, isCallReadOnly } from '../../contract/tool/traits.js'
import type { CompiledRules } from '../rules/compile-rules.js'
import type { PermissionOutcome } from './decision.js'
import type { DecisionRequest } from './decision-request.js'

interface Settled {
  readonly outcome: PermissionOutcome
  /** It holds for calls that only read, which the tool is asked about each. */
  readonly isForReading: boolean
}

const settled = new WeakMap<CompiledRules, WeakMap<Tool, Settled>>()

/** What was decided for every call of this tool under these rules, or for every one that only reads. */
export function settledAllowance(
  rules: CompiledRules,
  { tool, hook, input }: DecisionRequest,
): PermissionOutcome | undefined {
  const known = hook === undefined ? settled.get(rules)?.get(tool) : undefined
  if (known === undefined || (known.isForReading && !isCallReadOnly(tool, input))) return undefined
  return known.outcome
}

/** Keeps an allowance that no input can change: a rule allows the whole tool, or it only reads, and nothing looks further. */
export function settleAllowance(
  rules: CompiledRules,
  { tool, hook, permissions }: DecisionRequest,
  outcome: PermissionOutcome,
): void {
  const { behavior, reason, updatedInput } = outcome
  const isForReading = reason.type === 'directory'
  if (behavior !== 'allow' || updatedInput !== undefined || !(isForReading || reason.type === 'rule')) return
  if (hook !== undefined || permissions.mode !== 'default' || !isBlind(tool)) return
  if (ruleNamesOf(tool).some((name) => hasContentRule(rules, name))) return
  Object.freeze(outcome.trace)
  const known = settled.get(rules) ?? new WeakMap<Tool, Settled>()
  settled.set(rules, known.set(tool, { outcome: Object.freeze(outcome), isForReading }))
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
    !ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
  )
}

function hasContentRule({ deny, ask, allow }: CompiledRules, name: string): boolean {
  return [deny, ask, allow].some(({ withContent }) => withContent.has(name))
}
