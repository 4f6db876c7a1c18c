import type { DecisionReason } from '../../contract/permission/result.js'
import { getWorstCaseCapabilities, runsCommands, usesFiles } from '../../contract/tool/capabilities.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { reasonOf } from '../../shared/reason-of.js'
import { compileRules, findBareRule, toRuleReason } from '../rules/compile-rules.js'
import type { DecisionStage, PermissionOutcome } from './decision.js'
import type { DecisionRequest } from './decision-request.js'

/**
 * Decides about a call that could not be judged because of an error. Never allows it. Denies it if a rule, a hook or the mode
 * denies it, or if there is no user to ask; otherwise asks.
 */
export function decideOnFailure(request: DecisionRequest, error: unknown): PermissionOutcome {
  const { tool, permissions, canAsk } = request
  const text = `the call could not be judged: ${reasonOf(error)}`
  const denial = findDenial(request)
  const mustDeny = denial !== undefined || !canAsk || permissions.mode === 'dontAsk' || permissions.mode === 'plan'
  const behavior = mustDeny ? 'deny' : 'ask'
  return {
    behavior,
    reason: denial?.reason ?? { type: 'safety', text },
    message: `${tool.name} needs approval: ${text}.`,
    suggestions: [],
    trace: [{ stage: denial?.stage ?? 'input', outcome: behavior, text }],
  }
}

function findDenial({
  tool,
  permissions,
  hook,
}: DecisionRequest): { readonly reason: DecisionReason; readonly stage: DecisionStage } | undefined {
  const rule = findBareRule(compileRules(permissions).deny, [...ruleNamesOf(tool), ...familiesOf(tool)])
  if (rule !== undefined) return { reason: toRuleReason(rule, 'a deny rule'), stage: 'deny rules' }
  if (hook?.behavior !== 'deny') return undefined
  return { reason: { type: 'hook', text: hook.reason ?? 'a PreToolUse hook denied the call' }, stage: 'hook' }
}

/** Returns every rule family that calls of the tool may belong to, because the effects of this call are unknown. */
function familiesOf(tool: Tool): readonly string[] {
  const capabilities = getWorstCaseCapabilities(tool)
  const mayTouchFiles = usesFiles(capabilities) || tool.getPath !== undefined || tool.resources !== undefined
  return [
    ...(runsCommands(capabilities) ? [RULE_FAMILIES.commands] : []),
    ...(mayTouchFiles ? [RULE_FAMILIES.reads, RULE_FAMILIES.writes] : []),
  ]
}
