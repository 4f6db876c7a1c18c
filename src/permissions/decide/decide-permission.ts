import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { type CallFacts, gatherFacts } from '../facts/call-facts.js'
import { type CompiledRules, compileRules, describeRule, ruleReason } from '../rules/compile-rules.js'
import { arePathsInside, findAllowance, mayRead } from '../rules/find-allowance.js'
import { findRestriction, type Restriction } from '../rules/find-restriction.js'
import { settleQuestion } from './answer-question.js'
import { decideUnjudged } from './decide-unjudged.js'
import { allow, deny, type Journey, note, type PermissionOutcome, type Question } from './decision.js'
import type { DecisionPorts, DecisionRequest } from './decision-request.js'
import { protectedWrite, unresolvedWrite } from './safety-checks.js'
import { settleAllowance, settledAllowance } from './settled-allowance.js'
import { isFileEditInside, suggestUpdates } from './suggest-updates.js'
import { askTool, type ToolOpinion } from './tool-opinion.js'

/**
 * Decides on one call. What restricts comes first and is never lifted by what comes later: deny rules, a hook's deny,
 * ask rules and a hook's ask, the tool itself, safety checks; then mode, allow rules, the tool's own allow, reading inside.
 */
export function decidePermission(request: DecisionRequest, ports: DecisionPorts): MaybePromise<PermissionOutcome> {
  try {
    const rules = compileRules(request.permissions)
    const known = settledAllowance(rules, request)
    if (known !== undefined) return known
    const decided = andThen(gatherFacts(request, request.permissions, ports), (call) =>
      decide({ request, call, trace: [] }, rules, ports),
    )
    if (decided instanceof Promise) return decided.catch((error) => decideUnjudged(request, error))
    settleAllowance(rules, request, decided)
    return decided
  } catch (error) {
    return decideUnjudged(request, error)
  }
}

function decide(journey: Journey, rules: CompiledRules, ports: DecisionPorts): MaybePromise<PermissionOutcome> {
  const { call } = journey
  return andThen(
    findRestriction(rules.deny, call),
    (denied) =>
      findDenial(journey, denied) ??
      andThen(findRestriction(rules.ask, call), (asked) =>
        decideUndenied(journey, rules, ports, askedByRuleOrHook(journey, asked)),
      ),
  )
}

/** No rule and no hook denies the call; the tool itself may. */
function decideUndenied(
  journey: Journey,
  rules: CompiledRules,
  ports: DecisionPorts,
  asked: Question | undefined,
): MaybePromise<PermissionOutcome> {
  return andThen(askTool(journey), (opinion) => {
    if (opinion.denial !== undefined) return opinion.denial
    const held = askedForSafety(journey, joined(asked, opinion.question))
    const byMode = modeAnswer(journey, held, opinion)
    if (byMode !== undefined) return byMode
    return held === undefined
      ? decideUnasked(journey, rules.allow, ports, opinion)
      : settleQuestion(journey, ports, held, opinion)
  })
}

/** One question out of two: whoever answers it must have seen both. */
function joined(asked: Question | undefined, ofTool: Question | undefined): Question | undefined {
  if (asked === undefined || ofTool === undefined) return asked ?? ofTool
  return { ...asked, message: `${asked.message}\n${ofTool.message}` }
}

/** Nothing restricts the call: what is left is to find what allows it. */
function decideUnasked(
  journey: Journey,
  rules: CompiledRules['allow'],
  ports: DecisionPorts,
  opinion: ToolOpinion,
): MaybePromise<PermissionOutcome> {
  return andThen(findAllowance(rules, journey.call), (allowance) =>
    allowance === undefined
      ? andThen(
          letThrough(journey, rules, opinion),
          (through) => through ?? settleQuestion(journey, ports, openQuestion(journey), opinion),
        )
      : allow(journey, 'allow rules', ruleReason(allowance, 'an allow rule'), opinion),
  )
}

function findDenial(journey: Journey, found: Restriction | undefined): PermissionOutcome | undefined {
  const { call, request, trace } = journey
  if (call.refusal !== undefined) return deny(journey, 'input', { type: 'input', text: call.refusal }, call.refusal)
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
function askedByRuleOrHook(journey: Journey, found: Restriction | undefined): Question | undefined {
  const { call, request, trace, doubt } = journey
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

/** The safety checks; what was asked before them stays what is asked. */
function askedForSafety({ call, trace }: Journey, asked: Question | undefined): Question | undefined {
  const text = call.problem ?? protectedWrite(call) ?? unresolvedWrite(call)
  if (text === undefined) {
    note(trace, 'safety', 'pass', 'nothing protected is written')
    return asked
  }
  note(trace, 'safety', 'ask', text)
  const message = `${call.tool.name} needs an answer: ${text}.`
  return asked ?? { isOpen: false, reason: { type: 'safety', text }, message, suggestions: [] }
}

/** What the mode itself decides. Only a denial can still change a question that is held already. */
function modeAnswer(journey: Journey, held: Question | undefined, opinion: ToolOpinion): PermissionOutcome | undefined {
  const { call, request, trace } = journey
  const { mode } = request.permissions
  // A tool that asks by itself, as the one that ends planning does, is heard in plan mode too.
  const asksItself = opinion.question !== undefined && opinion.hasFailed !== true && !call.isFromOutside
  const isJudgedLater = call.tool.makesOnlyNestedCalls === true && !call.isFromOutside
  if (mode === 'plan' && !call.isReadOnly && !asksItself && !isJudgedLater) {
    const text = 'plan mode allows only what reads'
    // What a sub-agent finds out is read by another: it has no plan that anybody approves.
    const advice =
      request.toolContext.agentId === undefined
        ? `${text}. Finish the plan and have it approved first.`
        : 'this agent may only read. Say in your answer what should be changed.'
    const message = `${call.tool.name} is denied: ${advice}`
    return deny(journey, 'mode', { type: 'mode', text }, message)
  }
  if (held !== undefined) return undefined
  if (mode === 'bypassPermissions')
    return allow(journey, 'mode', { type: 'mode', text: 'bypassPermissions allows it' }, opinion)
  if (mode === 'acceptEdits' && (isFileEditInside(call) || isShownEditInside(call, opinion))) {
    const text = 'acceptEdits allows edits inside the working directories'
    return allow(journey, 'mode', { type: 'mode', text }, opinion)
  }
  note(trace, 'mode', 'pass', `${mode} leaves it open`)
  return undefined
}

/** Nothing restricts the call, and no rule allows it: the tool itself or harmlessness may still let it through. */
function letThrough(
  journey: Journey,
  list: CompiledRules['allow'],
  opinion: ToolOpinion,
): MaybePromise<PermissionOutcome | undefined> {
  const { call, trace } = journey
  note(trace, 'allow rules', 'pass', 'no allow rule covers it')
  if (opinion.allows) {
    const reason = { type: 'tool', text: `${call.tool.name} needs no question` } as const
    if (arePathsInside(call)) return allow(journey, 'tool allow', reason, opinion)
    note(trace, 'tool allow', 'pass', 'the tool would allow it, yet it reaches outside the working directories')
  }
  if (!call.isReadOnly || call.network || call.isOpenEnded || call.writes.length > 0) return undefined
  return andThen(mayReadAll(list, call), (isReadable) =>
    isReadable ? allow(journey, 'read-only', READS_INSIDE, opinion) : undefined,
  )
}

/** A command that the tool itself carries out as an edit: it writes what was shown, and nothing else. */
function isShownEditInside(call: CallFacts, { preview }: ToolOpinion): boolean {
  const isOne = call.command?.commands.length === 1 && call.tool.runsOnlyItsCommand === true && !call.isFromOutside
  return preview !== undefined && isOne && call.writes.length > 0 && arePathsInside(call)
}

const READS_INSIDE = { type: 'directory', text: 'it only reads, inside the working directories' } as const

function mayReadAll(list: CompiledRules['allow'], call: CallFacts): MaybePromise<boolean> {
  return call.reads.length === 0 || everyReadable(list, call)
}

async function everyReadable(list: CompiledRules['allow'], call: CallFacts): Promise<boolean> {
  for (const path of call.reads) if (!(await mayRead(list, call, path))) return false
  return true
}

function openQuestion({ call, trace }: Journey): Question {
  const isInside = arePathsInside(call)
  const text = isInside ? readOnlyText(call) : 'it reaches outside the working directories'
  note(trace, 'read-only', 'pass', text)
  const message = `${call.tool.name} needs an answer: ${text}.`
  return {
    isOpen: true,
    reason: { type: isInside ? 'default' : 'directory', text },
    message,
    suggestions: suggestUpdates(call),
  }
}

function readOnlyText(call: CallFacts): string {
  const risks = call.command?.risks ?? []
  if (!call.isReadOnly && risks.length > 0) return `it ${inWords(risks)}`
  if (!call.isReadOnly) return 'it is not known to only read'
  return call.network ? 'it reaches beyond this machine' : 'it may touch more than is known'
}

function inWords(risks: readonly string[]): string {
  return risks.length === 1 ? String(risks[0]) : `${risks.slice(0, -1).join(', ')} and ${risks.at(-1)}`
}
