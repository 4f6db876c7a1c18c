import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { type CallFacts, gatherFacts } from '../facts/call-facts.js'
import { type CompiledRules, compileRules, describeRule, ruleReason } from '../rules/compile-rules.js'
import { arePathsInside, findAllowance, mayRead } from '../rules/find-allowance.js'
import { findRestriction, type Restriction } from '../rules/find-restriction.js'
import { cacheAllowance, cachedAllowance } from './allowance-cache.js'
import { answerQuestion } from './answer-question.js'
import { decideOnFailure } from './decide-on-failure.js'
import { allow, type Decision, deny, note, type PermissionOutcome, type Question } from './decision.js'
import type { DecisionPorts, DecisionRequest } from './decision-request.js'
import { protectedWrite, unresolvedWrite } from './safety-checks.js'
import { isFileEditInside, suggestUpdates } from './suggest-updates.js'
import { askTool, type ToolOpinion } from './tool-opinion.js'

/**
 * Decides about one call. Restrictions come first and are never lifted by later stages: deny rules, a hook's deny, ask
 * rules and a hook's ask, the tool's own check, safety checks. Then come the mode, allow rules, the tool's own allow, and
 * reads inside the working directories.
 */
export function decidePermission(request: DecisionRequest, ports: DecisionPorts): MaybePromise<PermissionOutcome> {
  try {
    const rules = compileRules(request.permissions)
    const known = cachedAllowance(rules, request)
    if (known !== undefined) return known
    const decided = andThen(gatherFacts(request, request.permissions, ports), (call) =>
      decide({ request, call, trace: [] }, rules, ports),
    )
    if (decided instanceof Promise) return decided.catch((error) => decideOnFailure(request, error))
    cacheAllowance(rules, request, decided)
    return decided
  } catch (error) {
    return decideOnFailure(request, error)
  }
}

function decide(decision: Decision, rules: CompiledRules, ports: DecisionPorts): MaybePromise<PermissionOutcome> {
  const { call } = decision
  return andThen(
    findRestriction(rules.deny, call),
    (denied) =>
      findDenial(decision, denied) ??
      andThen(findRestriction(rules.ask, call), (asked) =>
        decideUndenied(decision, rules, ports, askedByRuleOrHook(decision, asked)),
      ),
  )
}

/** Continues if no rule and no hook denies the call. The tool may still deny it. */
function decideUndenied(
  decision: Decision,
  rules: CompiledRules,
  ports: DecisionPorts,
  asked: Question | undefined,
): MaybePromise<PermissionOutcome> {
  return andThen(askTool(decision), (opinion) => {
    if (opinion.denial !== undefined) return opinion.denial
    const question = askedForSafety(decision, combineQuestions(asked, opinion.question))
    const byMode = modeAnswer(decision, question, opinion)
    if (byMode !== undefined) return byMode
    return question === undefined
      ? decideUnasked(decision, rules.allow, ports, opinion)
      : answerQuestion(decision, ports, question, opinion)
  })
}

/** Combines two questions, so that the user sees both before answering. */
function combineQuestions(asked: Question | undefined, ofTool: Question | undefined): Question | undefined {
  if (asked === undefined || ofTool === undefined) return asked ?? ofTool
  return { ...asked, message: `${asked.message}\n${ofTool.message}` }
}

/** Continues if nothing restricts the call: finds what allows it. */
function decideUnasked(
  decision: Decision,
  rules: CompiledRules['allow'],
  ports: DecisionPorts,
  opinion: ToolOpinion,
): MaybePromise<PermissionOutcome> {
  return andThen(findAllowance(rules, decision.call), (allowance) =>
    allowance === undefined
      ? andThen(
          allowWithoutRule(decision, rules, opinion),
          (outcome) => outcome ?? answerQuestion(decision, ports, openQuestion(decision), opinion),
        )
      : allow(decision, 'allow rules', ruleReason(allowance, 'an allow rule'), opinion),
  )
}

function findDenial(decision: Decision, found: Restriction | undefined): PermissionOutcome | undefined {
  const { call, request, trace } = decision
  if (call.refusal !== undefined) return deny(decision, 'input', { type: 'input', text: call.refusal }, call.refusal)
  if (found?.certainty === 'yes') {
    const message = `${describeRule(found.rule)} denies this call of ${call.tool.name}. Ask the user, or work without it.`
    return deny(decision, 'deny rules', ruleReason(found.rule, 'a deny rule'), message)
  }
  if (found !== undefined) decision.possibleDenyRule = found.rule
  note(trace, 'deny rules', 'pass', found === undefined ? 'no deny rule matches' : `${found.rule.text} may match`)
  if (request.hook?.behavior !== 'deny') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook denied the call'
  return deny(decision, 'hook', { type: 'hook', text }, `A hook denied this call of ${call.tool.name}: ${text}`)
}

/** Also asks if a deny rule may match: it must not be bypassed by a call that is hard to judge. */
function askedByRuleOrHook(decision: Decision, found: Restriction | undefined): Question | undefined {
  const { call, request, trace, possibleDenyRule } = decision
  const rule = found?.certainty === 'yes' ? found.rule : (possibleDenyRule ?? found?.rule)
  if (rule !== undefined) {
    const isCertain = found?.certainty === 'yes'
    const reason = ruleReason(rule, isCertain ? 'an ask rule' : 'a rule that may match')
    note(trace, 'ask rules', 'ask', `${reason.text}: ${rule.text}`)
    const why = isCertain ? `${describeRule(rule)} asks about it` : `${describeRule(rule)} may match it`
    return { isOpen: false, reason, message: `${call.tool.name} needs approval: ${why}.`, suggestions: [] }
  }
  note(trace, 'ask rules', 'pass', 'no ask rule matches')
  if (request.hook?.behavior !== 'ask') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook asks for approval'
  note(trace, 'hook', 'ask', text)
  return {
    isOpen: false,
    reason: { type: 'hook', text },
    message: `A hook asks about ${call.tool.name}: ${text}`,
    suggestions: [],
  }
}

/** Runs the safety checks. An earlier question takes precedence. */
function askedForSafety({ call, trace }: Decision, asked: Question | undefined): Question | undefined {
  const text = call.problem ?? protectedWrite(call) ?? unresolvedWrite(call)
  if (text === undefined) {
    note(trace, 'safety', 'pass', 'the call writes no protected file')
    return asked
  }
  note(trace, 'safety', 'ask', text)
  const message = `${call.tool.name} needs approval: ${text}.`
  return asked ?? { isOpen: false, reason: { type: 'safety', text }, message, suggestions: [] }
}

/** Returns the decision of the mode, if any. If there is already a question, the mode can only deny. */
function modeAnswer(
  decision: Decision,
  question: Question | undefined,
  opinion: ToolOpinion,
): PermissionOutcome | undefined {
  const { call, request, trace } = decision
  const { mode } = request.permissions
  // A tool that asks the user itself, such as the one that ends plan mode, may do so in plan mode.
  const asksUserItself = opinion.question !== undefined && opinion.hasFailed !== true && !call.isExternal
  const isJudgedLater = call.tool.makesOnlyNestedCalls === true && !call.isExternal
  if (mode === 'plan' && !call.isReadOnly && !asksUserItself && !isJudgedLater) {
    const text = 'plan mode allows only read-only calls'
    // A sub-agent has no plan that the user could approve.
    const advice =
      request.toolContext.agentId === undefined
        ? `${text}. Finish the plan and have it approved first.`
        : 'this agent may only read. Describe the necessary changes in your answer.'
    const message = `${call.tool.name} is denied: ${advice}`
    return deny(decision, 'mode', { type: 'mode', text }, message)
  }
  if (question !== undefined) return undefined
  if (mode === 'bypassPermissions')
    return allow(decision, 'mode', { type: 'mode', text: 'bypassPermissions allows it' }, opinion)
  if (mode === 'acceptEdits' && (isFileEditInside(call) || isPreviewedEditInside(call, opinion))) {
    const text = 'acceptEdits allows edits inside the working directories'
    return allow(decision, 'mode', { type: 'mode', text }, opinion)
  }
  note(trace, 'mode', 'pass', `${mode} does not decide it`)
  return undefined
}

/** No rule allows the call: returns an allow by the tool itself, or for reading inside the working directories. */
function allowWithoutRule(
  decision: Decision,
  list: CompiledRules['allow'],
  opinion: ToolOpinion,
): MaybePromise<PermissionOutcome | undefined> {
  const { call, trace } = decision
  note(trace, 'allow rules', 'pass', 'no allow rule covers it')
  if (opinion.allows) {
    const reason = { type: 'tool', text: `${call.tool.name} needs no approval` } as const
    if (arePathsInside(call)) return allow(decision, 'tool allow', reason, opinion)
    note(trace, 'tool allow', 'pass', 'the tool would allow it, but it reaches outside the working directories')
  }
  if (!call.isReadOnly || call.network || call.isOpenEnded || call.writes.length > 0) return undefined
  return andThen(mayReadAll(list, call), (isReadable) =>
    isReadable ? allow(decision, 'read-only', READS_INSIDE, opinion) : undefined,
  )
}

/** A command that the tool performs as an edit with a preview: it writes exactly what the preview shows. */
function isPreviewedEditInside(call: CallFacts, { preview }: ToolOpinion): boolean {
  const isSingleCommand =
    call.command?.commands.length === 1 && call.tool.runsOnlyItsCommand === true && !call.isExternal
  return preview !== undefined && isSingleCommand && call.writes.length > 0 && arePathsInside(call)
}

const READS_INSIDE = { type: 'directory', text: 'it only reads, inside the working directories' } as const

function mayReadAll(list: CompiledRules['allow'], call: CallFacts): MaybePromise<boolean> {
  return call.reads.length === 0 || everyReadable(list, call)
}

async function everyReadable(list: CompiledRules['allow'], call: CallFacts): Promise<boolean> {
  for (const path of call.reads) if (!(await mayRead(list, call, path))) return false
  return true
}

function openQuestion({ call, trace }: Decision): Question {
  const isInside = arePathsInside(call)
  const text = isInside ? readOnlyText(call) : 'it reaches outside the working directories'
  note(trace, 'read-only', 'pass', text)
  const message = `${call.tool.name} needs approval: ${text}.`
  return {
    isOpen: true,
    reason: { type: isInside ? 'default' : 'directory', text },
    message,
    suggestions: suggestUpdates(call),
  }
}

function readOnlyText(call: CallFacts): string {
  const risks = call.command?.risks ?? []
  if (!call.isReadOnly && risks.length > 0) return `it ${joinWords(risks)}`
  if (!call.isReadOnly) return 'it may change something'
  return call.network ? 'it reaches beyond this machine' : 'it may touch files that it does not list'
}

function joinWords(risks: readonly string[]): string {
  return risks.length === 1 ? String(risks[0]) : `${risks.slice(0, -1).join(', ')} and ${risks.at(-1)}`
}
