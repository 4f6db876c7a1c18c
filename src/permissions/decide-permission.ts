import { type CallFacts, gatherFacts } from './call-facts.js'
import { type CompiledRules, compileRules } from './compile-rules.js'
import { decideUnjudged } from './decide-unjudged.js'
import type { DecisionPorts, DecisionRequest } from './decision-request.js'
import { arePathsInside, findAllowance, mayRead } from './find-allowance.js'
import { findRestriction } from './find-restriction.js'
import { allow, deny, type Journey } from './journey.js'
import type { PermissionOutcome } from './permission-outcome.js'
import type { Question } from './question.js'
import { describeRule, ruleReason } from './rule-reason.js'
import { protectedWrite } from './safety-check.js'
import { settleQuestion } from './settle-question.js'
import { isFileEditInside, suggestUpdates } from './suggest-updates.js'
import { askTool, type ToolOpinion } from './tool-opinion.js'
import { note } from './trace.js'

/**
 * Decides on one call. What restricts comes first and is never lifted by what comes later: deny rules, a hook's deny,
 * ask rules and a hook's ask, the tool itself, safety checks; then mode, allow rules, the tool's own allow, reading inside.
 */
export async function decidePermission(request: DecisionRequest, ports: DecisionPorts): Promise<PermissionOutcome> {
  try {
    return await decide(request, ports)
  } catch (error) {
    return decideUnjudged(request, error)
  }
}

async function decide(request: DecisionRequest, ports: DecisionPorts): Promise<PermissionOutcome> {
  const call = await gatherFacts(request, request.permissions, ports)
  const rules = compileRules(request.permissions)
  const journey: Journey = { request, call, trace: [] }
  const denial = await findDenial(journey, rules)
  if (denial !== undefined) return denial
  const asked = await askedByRuleOrHook(journey, rules)
  const opinion = await askTool(journey)
  if (opinion.denial !== undefined) return opinion.denial
  const unsafe = askedForSafety(journey)
  const held = asked ?? opinion.question ?? unsafe
  const byMode = modeAnswer(journey, held, opinion)
  if (byMode !== undefined) return byMode
  const question = held ?? (await openQuestion(journey, rules, opinion))
  return 'behavior' in question ? question : settleQuestion(journey, ports, question, opinion)
}

async function findDenial(journey: Journey, { deny: list }: CompiledRules): Promise<PermissionOutcome | undefined> {
  const { call, request, trace } = journey
  if (call.refusal !== undefined) return deny(journey, 'input', { type: 'input', text: call.refusal }, call.refusal)
  const found = await findRestriction(list, call)
  if (found?.certainty === 'yes') {
    const message = `${describeRule(found.rule)} denies this call of ${call.tool.name}. Ask the user, or work without it.`
    return deny(journey, 'deny rules', ruleReason(found.rule, 'a deny rule'), message)
  }
  if (found !== undefined) journey.doubt = found.rule
  note(trace, 'deny rules', 'pass', found === undefined ? 'no deny rule matches' : `${found.rule.text} may match`)
  if (request.hook?.behavior !== 'deny') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook denied the call'
  return deny(journey, 'hook', { type: 'hook', text }, `A hook denied this call of ${call.tool.name}: ${text}`)
}

/** Also asks where a deny rule may be meant and nobody can tell: that rule must not lose by being hard to judge. */
async function askedByRuleOrHook(journey: Journey, { ask: list }: CompiledRules): Promise<Question | undefined> {
  const { call, request, trace, doubt } = journey
  const found = await findRestriction(list, call)
  const rule = found?.certainty === 'yes' ? found.rule : (doubt ?? found?.rule)
  if (rule !== undefined) {
    const isSure = found?.certainty === 'yes'
    const reason = ruleReason(rule, isSure ? 'an ask rule' : 'a rule that may be meant')
    note(trace, 'ask rules', 'ask', `${reason.text}: ${rule.text}`)
    const why = isSure ? `${describeRule(rule)} asks about it` : `whether ${describeRule(rule)} is meant cannot be told`
    return { isOpen: false, reason, message: `${call.tool.name} needs an answer: ${why}.`, suggestions: [] }
  }
  note(trace, 'ask rules', 'pass', 'no ask rule matches')
  if (request.hook?.behavior !== 'ask') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook wants an answer'
  note(trace, 'hook', 'ask', text)
  return {
    isOpen: false,
    reason: { type: 'hook', text },
    message: `A hook asks about ${call.tool.name}: ${text}`,
    suggestions: [],
  }
}

function askedForSafety({ call, trace }: Journey): Question | undefined {
  const text = call.problem ?? protectedWrite(call)
  if (text === undefined) {
    note(trace, 'safety', 'pass', 'nothing protected is written')
    return undefined
  }
  note(trace, 'safety', 'ask', text)
  return {
    isOpen: false,
    reason: { type: 'safety', text },
    message: `${call.tool.name} needs an answer: ${text}.`,
    suggestions: [],
  }
}

/** What the mode itself decides. Only a denial can still change a question that is held already. */
function modeAnswer(journey: Journey, held: Question | undefined, opinion: ToolOpinion): PermissionOutcome | undefined {
  const { call, request, trace } = journey
  const { mode } = request.permissions
  // A tool that asks by itself, as the one that ends planning does, is heard in plan mode too.
  if (mode === 'plan' && !call.isReadOnly && opinion.question === undefined) {
    const text = 'plan mode allows only what reads'
    const message = `${call.tool.name} is denied: ${text}. Finish the plan and have it approved first.`
    return deny(journey, 'mode', { type: 'mode', text }, message)
  }
  if (held !== undefined) return undefined
  if (mode === 'bypassPermissions')
    return allow(journey, 'mode', { type: 'mode', text: 'bypassPermissions allows it' }, opinion)
  if (mode === 'acceptEdits' && isFileEditInside(call)) {
    const text = 'acceptEdits allows edits inside the working directories'
    return allow(journey, 'mode', { type: 'mode', text }, opinion)
  }
  note(trace, 'mode', 'pass', `${mode} leaves it open`)
  return undefined
}

/** Nothing restricts the call: an allow rule, the tool itself or harmlessness lets it through, else it is asked. */
async function openQuestion(
  journey: Journey,
  { allow: list }: CompiledRules,
  opinion: ToolOpinion,
): Promise<PermissionOutcome | Question> {
  const { call, trace } = journey
  const rule = await findAllowance(list, call)
  if (rule !== undefined) return allow(journey, 'allow rules', ruleReason(rule, 'an allow rule'), opinion)
  note(trace, 'allow rules', 'pass', 'no allow rule covers it')
  const isInside = arePathsInside(call)
  if (opinion.allows) {
    if (isInside)
      return allow(journey, 'tool allow', { type: 'tool', text: `${call.tool.name} needs no question` }, opinion)
    note(trace, 'tool allow', 'pass', 'the tool would allow it, yet it reaches outside the working directories')
  }
  if (await isHarmless(call, list)) {
    const text = 'it only reads, inside the working directories'
    return allow(journey, 'read-only', { type: 'directory', text }, opinion)
  }
  note(trace, 'read-only', 'pass', readOnlyText(call, isInside))
  const reason = isInside
    ? ({ type: 'default', text: readOnlyText(call, isInside) } as const)
    : ({ type: 'directory', text: 'it reaches outside the working directories' } as const)
  const message = `${call.tool.name} needs an answer: ${reason.text}.`
  return { isOpen: true, reason, message, suggestions: suggestUpdates(call) }
}

async function isHarmless(call: CallFacts, list: CompiledRules['allow']): Promise<boolean> {
  if (!call.isReadOnly || call.network || call.isOpenEnded || call.writes.length > 0) return false
  for (const path of call.reads) if (!(await mayRead(list, call, path))) return false
  return true
}

function readOnlyText(call: CallFacts, isInside: boolean): string {
  if (!call.isReadOnly) return 'it is not known to only read'
  if (call.network) return 'it reaches beyond this machine'
  return isInside ? 'it may touch more than is known' : 'it reaches outside the working directories'
}
