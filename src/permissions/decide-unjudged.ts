import { ruleNamesOf } from '../contract/rule-names.js'
import { bareRule, compileRules } from './compile-rules.js'
import type { DecisionRequest } from './decision-request.js'
import type { PermissionOutcome } from './permission-outcome.js'
import { ruleReason } from './rule-reason.js'

/** The answer where judging the call itself failed: never an allow, and still a denial where a rule names the tool. */
export function decideUnjudged({ tool, permissions, canAsk }: DecisionRequest, error: unknown): PermissionOutcome {
  const rule = bareRule(compileRules(permissions).deny, ruleNamesOf(tool))
  const why = error instanceof Error ? error.message : String(error)
  const text = `the call could not be judged: ${why}`
  const mustDeny = rule !== undefined || !canAsk || permissions.mode === 'dontAsk' || permissions.mode === 'plan'
  const behavior = mustDeny ? 'deny' : 'ask'
  return {
    behavior,
    reason: rule === undefined ? { type: 'safety', text } : ruleReason(rule, 'a deny rule'),
    message: `${tool.name} needs an answer: ${text}.`,
    suggestions: [],
    trace: [{ station: rule === undefined ? 'input' : 'deny rules', outcome: behavior, text }],
  }
}
