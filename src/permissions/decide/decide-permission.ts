import type { JudgedTarget } from '../../contract/judged-paths.js'
import { RULE_FAMILIES, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool } from '../../contract/tool/tool.js'
import { hasDefault, isCallReadOnly, requiresUser } from '../../contract/tool/traits.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { type CallFacts, gatherFacts } from '../facts/call-facts.js'
import { toSlashes } from '../paths/judge-path.js'
import {
  type CompiledRules,
  compileRules,
  describeRule,
  findBareRule,
  restrictsReading,
  toRuleReason,
} from '../rules/compile-rules.js'
import { arePathsInside, findAllowance, mayRead } from '../rules/find-allowance.js'
import { findRestriction, type Restriction } from '../rules/find-restriction.js'
import { answerQuestion } from './answer-question.js'
import { decideOnFailure } from './decide-on-failure.js'
import { allow, type Decision, deny, type PermissionOutcome, type Question, recordStage } from './decision.js'
import type { DecisionPorts, DecisionRequest } from './decision-request.js'
import { describeNeed } from './describe-need.js'
import { describeProtectedWrite, describeUnknownWrite } from './safety-checks.js'
import { isFileEditInside, suggestUpdates } from './suggest-updates.js'
import { askTool, type ToolOpinion } from './tool-opinion.js'

/**
 * Decides about one call. Restrictions come first, and no later stage lifts them: deny rules, a hook's deny, ask rules, a
 * hook's ask, the tool's own check, safety checks. Then the mode, allow rules, the tool's own allow, and reads inside the
 * working directories are tried.
 */
export function decidePermission(request: DecisionRequest, ports: DecisionPorts): MaybePromise<PermissionOutcome> {
  try {
    const rules = compileRules(request.permissions)
    return getCachedAllowance(rules, request) ?? decideUncached(rules, request, ports)
  } catch (error) {
    return decideOnFailure(request, error)
  }
}

async function decideUncached(
  rules: CompiledRules,
  request: DecisionRequest,
  ports: DecisionPorts,
): Promise<PermissionOutcome> {
  try {
    const rulesForFacts = { context: request.permissions, restrictsReading: restrictsReading(rules) }
    const call = await gatherFacts(request, rulesForFacts, ports)
    const outcome = withJudgedTargets(await decide({ request, call, trace: [] }, rules, ports), call)
    cacheAllowance(rules, request, outcome)
    return outcome
  } catch (error) {
    return decideOnFailure(request, error)
  }
}

/** Adds the page and the files that were judged, also to an outcome that is still to come. */
function withJudgedTargets(outcome: PermissionOutcome, call: CallFacts): PermissionOutcome {
  const judgedOutcome = withJudgedPage(withJudgedPaths(outcome, call), call)
  const { laterOutcome } = outcome
  if (laterOutcome === undefined) return judgedOutcome
  return { ...judgedOutcome, laterOutcome: laterOutcome.then((later) => withJudgedTargets(later, call)) }
}

/** Adds the page that the tool stated, so that the call acts on no other one. */
function withJudgedPage(outcome: PermissionOutcome, { tool, page }: CallFacts): PermissionOutcome {
  const isStated = tool.getWebTarget !== undefined && page !== undefined && outcome.behavior !== 'deny'
  return isStated ? { ...outcome, judgedUrl: page.url } : outcome
}

/** Adds the targets of the call's paths. Each real path is added as well, because a tool may use it instead of the path. */
function withJudgedPaths(outcome: PermissionOutcome, { reads, writes, pathContext }: CallFacts): PermissionOutcome {
  if (outcome.behavior === 'deny' || reads.length + writes.length === 0) return outcome
  const judgedPaths = new Map<string, JudgedTarget>()
  for (const { targets } of [...reads, ...writes]) {
    for (const [path, target] of targets) {
      judgedPaths.set(path, target)
      const { realPath } = target
      const realKey = toSlashes(realPath, pathContext)
      if (!judgedPaths.has(realKey)) judgedPaths.set(realKey, { realPath, entryPath: realPath })
    }
  }
  return { ...outcome, judgedPaths }
}

async function decide(decision: Decision, rules: CompiledRules, ports: DecisionPorts): Promise<PermissionOutcome> {
  const { call } = decision
  const denial = findDenial(decision, await findRestriction(rules.deny, call))
  if (denial !== undefined) return denial
  const earlierQuestion = findRuleOrHookQuestion(decision, await findRestriction(rules.ask, call))
  const opinion = await askTool(decision)
  if (opinion.denial !== undefined) return opinion.denial
  const question = findSafetyQuestion(decision, opinion, combineQuestions(earlierQuestion, opinion.question))
  const modeDecision = decideByMode(decision, rules.allow, question, opinion)
  if (modeDecision !== undefined) return modeDecision
  return question === undefined
    ? decideUnrestricted(decision, rules.allow, ports, opinion)
    : answerQuestion(decision, ports, question, opinion)
}

/** Combines two questions, so that the user sees both before answering. */
function combineQuestions(
  earlierQuestion: Question | undefined,
  toolQuestion: Question | undefined,
): Question | undefined {
  if (earlierQuestion === undefined || toolQuestion === undefined) return earlierQuestion ?? toolQuestion
  return { ...earlierQuestion, message: `${earlierQuestion.message}\n${toolQuestion.message}` }
}

/** Decides about a call that nothing restricts. Without an allow rule or another reason to allow the call, the user is asked. */
async function decideUnrestricted(
  decision: Decision,
  rules: CompiledRules['allow'],
  ports: DecisionPorts,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const allowance = await findAllowance(rules, decision.call)
  if (allowance !== undefined) return allow(decision, 'allow rules', toRuleReason(allowance, 'an allow rule'), opinion)
  return (await allowWithoutRule(decision, rules, opinion)) ?? askWithoutRule(decision, rules, ports, opinion)
}

function findDenial(decision: Decision, restriction: Restriction | undefined): PermissionOutcome | undefined {
  const { call, request, trace } = decision
  if (call.refusal !== undefined) return deny(decision, 'input', { type: 'input', text: call.refusal }, call.refusal)
  if (restriction?.certainty === 'yes') {
    const message = `${describeRule(restriction.rule)} denies this call of ${call.tool.name}. Ask the user, or work without it.`
    return deny(decision, 'deny rules', toRuleReason(restriction.rule, 'a deny rule'), message)
  }
  if (restriction !== undefined) decision.possibleDenyRule = restriction.rule
  recordStage(
    trace,
    'deny rules',
    'pass',
    restriction === undefined ? 'no deny rule matches' : `${restriction.rule.text} may match`,
  )
  if (request.hook?.behavior !== 'deny') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook denied the call'
  return deny(decision, 'hook', { type: 'hook', text }, `A hook denied this call of ${call.tool.name}: ${text}`)
}

/**
 * Returns the question that an ask rule or a hook raises. A deny rule that may match also raises one, so that a call that is
 * hard to judge cannot bypass it.
 */
function findRuleOrHookQuestion(decision: Decision, restriction: Restriction | undefined): Question | undefined {
  const { call, request, trace, possibleDenyRule } = decision
  const rule = restriction?.certainty === 'yes' ? restriction.rule : (possibleDenyRule ?? restriction?.rule)
  if (rule !== undefined) {
    const isCertain = restriction?.certainty === 'yes'
    const reason = toRuleReason(rule, isCertain ? 'an ask rule' : 'a rule that may match')
    recordStage(trace, 'ask rules', 'ask', `${reason.text}: ${rule.text}`)
    const explanation = isCertain ? `${describeRule(rule)} asks about it` : `${describeRule(rule)} may match it`
    return { isOpen: false, reason, message: `${call.tool.name} needs approval: ${explanation}.`, suggestions: [] }
  }
  recordStage(trace, 'ask rules', 'pass', 'no ask rule matches')
  if (request.hook?.behavior !== 'ask') return undefined
  const text = request.hook.reason ?? 'a PreToolUse hook asks for approval'
  recordStage(trace, 'hook', 'ask', text)
  return {
    isOpen: false,
    reason: { type: 'hook', text },
    message: `A hook asks about ${call.tool.name}: ${text}`,
    suggestions: [],
  }
}

/** Runs the safety checks. If another check has already raised a question, that question is returned. */
function findSafetyQuestion(
  { call, trace }: Decision,
  { isConfined = false }: ToolOpinion,
  earlierQuestion: Question | undefined,
): Question | undefined {
  const text = call.problem ?? describeProtectedWrite(call) ?? describeUnknownWrite(call, isConfined)
  if (text === undefined) {
    recordStage(trace, 'safety', 'pass', 'the call writes no protected file')
    return earlierQuestion
  }
  recordStage(trace, 'safety', 'ask', text)
  const message = `${call.tool.name} needs approval: ${text}.`
  return earlierQuestion ?? { isOpen: false, reason: { type: 'safety', text }, message, suggestions: [] }
}

/** Returns the decision of the mode, if any. If there is already a question, the mode can only deny. */
function decideByMode(
  decision: Decision,
  allowRules: CompiledRules['allow'],
  question: Question | undefined,
  opinion: ToolOpinion,
): PermissionOutcome | undefined {
  const { call, request, trace } = decision
  const { mode } = request.permissions
  // In plan mode, a tool may still ask the user by itself. The tool that ends plan mode does so.
  const asksUserItself = opinion.question !== undefined && opinion.hasFailed !== true && !call.isExternal
  const isJudgedLater = call.tool.makesOnlyNestedCalls === true && !call.isExternal
  const isDenied = mode === 'plan' && !call.isReadOnly && !asksUserItself && !isJudgedLater
  if (isDenied && !isReadOnlyByHint(decision, allowRules)) {
    const text = 'plan mode allows only read-only calls'
    // A sub-agent has no plan of its own that the user could approve.
    const advice =
      request.toolContext.agentId === undefined
        ? `${text}. Finish the plan and have it approved first.`
        : 'this agent may only read. Describe the necessary changes in your answer.'
    const message = `${call.tool.name} is denied: ${advice}`
    return deny(decision, 'mode', { type: 'mode', text }, message)
  }
  if (question !== undefined) return undefined
  if (requiresUser(call.tool)) {
    recordStage(trace, 'mode', 'pass', 'the call needs the user, so no mode allows it')
    return undefined
  }
  if (mode === 'bypassPermissions')
    return allow(decision, 'mode', { type: 'mode', text: 'bypassPermissions allows it' }, opinion)
  if (mode === 'acceptEdits' && (isFileEditInside(call) || isPreviewedEditInside(call, opinion))) {
    const text = 'acceptEdits allows edits inside the working directories'
    return allow(decision, 'mode', { type: 'mode', text }, opinion)
  }
  recordStage(trace, 'mode', 'pass', `the mode ${mode} does not decide this call`)
  return undefined
}

/**
 * Whether the `readOnlyHint` of an MCP tool is trusted in plan mode, because an allow rule covers the tool or a setting trusts
 * its server. The hint only prevents the denial by plan mode. After that, the call is decided as in the default mode.
 */
function isReadOnlyByHint({ call, request }: Decision, allowRules: CompiledRules['allow']): boolean {
  if (!call.isExternal || !isCallReadOnly(call.tool, call.input)) return false
  const { trustedMcpServers = [] } = request.permissions
  const serverName = call.tool.mcpInfo?.serverName
  const isServerTrusted = serverName !== undefined && trustedMcpServers.includes(serverName)
  return isServerTrusted || findBareRule(allowRules, call.allowNames) !== undefined
}

/** Allows a call that no rule allows if the tool itself allows it, or if it only reads and may read all its files. */
async function allowWithoutRule(
  decision: Decision,
  list: CompiledRules['allow'],
  opinion: ToolOpinion,
): Promise<PermissionOutcome | undefined> {
  const { call, trace } = decision
  recordStage(trace, 'allow rules', 'pass', 'no allow rule covers it')
  if (opinion.allows) {
    const reason = { type: 'tool', text: `${call.tool.name} needs no approval` } as const
    if (arePathsInside(call)) return allow(decision, 'tool allow', reason, opinion)
    recordStage(
      trace,
      'tool allow',
      'pass',
      'the tool would allow it, but it uses paths outside the working directories',
    )
  }
  if (!call.isReadOnly || call.network || call.isOpenEnded || call.writes.length > 0) return undefined
  for (const path of call.reads) if (!(await mayRead(list, call, path))) return undefined
  return allow(decision, 'read-only', READS_INSIDE_REASON, opinion)
}

/**
 * Whether the call is a single command that the tool performs as an edit with a preview, so that it writes exactly what the
 * preview shows.
 */
function isPreviewedEditInside(call: CallFacts, { preview }: ToolOpinion): boolean {
  const isSingleCommand =
    call.command?.commands.length === 1 && call.tool.runsOnlyItsCommand === true && !call.isExternal
  return preview !== undefined && isSingleCommand && call.writes.length > 0 && arePathsInside(call)
}

const READS_INSIDE_REASON = { type: 'directory', text: 'it only reads, inside the working directories' } as const

/** Asks about a call that is neither allowed nor restricted. */
async function askWithoutRule(
  decision: Decision,
  rules: CompiledRules['allow'],
  ports: DecisionPorts,
  opinion: ToolOpinion,
): Promise<PermissionOutcome> {
  const { call, trace } = decision
  const text = await describeNeed(rules, call)
  recordStage(trace, 'read-only', 'pass', text)
  const question: Question = {
    // Neither a hook nor a classifier can stand in for a user whom the call needs.
    isOpen: !requiresUser(call.tool),
    reason: { type: arePathsInside(call) ? 'default' : 'directory', text },
    message: `${call.tool.name} needs approval: ${text}.`,
    suggestions: suggestUpdates(call),
  }
  return answerQuestion(decision, ports, question, opinion)
}

interface CachedAllowance {
  readonly outcome: PermissionOutcome
  /** Whether the allow is valid only for calls that the tool declares read-only. */
  readonly isForReading: boolean
}

const cache = new WeakMap<CompiledRules, WeakMap<Tool, CachedAllowance>>()

/** Returns the cached allow for a tool under these rules, if it applies to this call. */
function getCachedAllowance(
  rules: CompiledRules,
  { tool, hook, input, command }: DecisionRequest,
): PermissionOutcome | undefined {
  const allowance = hook === undefined ? cache.get(rules)?.get(tool) : undefined
  if (allowance === undefined || (allowance.isForReading && !isCallReadOnly(tool, input, command))) return undefined
  return allowance.outcome
}

/** Caches an allow that does not depend on the input: a rule allows the whole tool, or the call only reads. */
function cacheAllowance(
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
  const { needs, command, getPath, resources, isOpenWorld, preparePermissionMatcher, isMcp, mcpInfo } = tool
  const inputDependentMembers = [needs, command, getPath, resources, isOpenWorld, preparePermissionMatcher, mcpInfo]
  return (
    Object.isFrozen(tool) &&
    isMcp !== true &&
    inputDependentMembers.every((member) => member === undefined) &&
    hasDefault(tool, 'checkPermissions') &&
    !ruleNamesOf(tool).includes(RULE_FAMILIES.commands)
  )
}

function hasContentRule({ deny, ask, allow }: CompiledRules, name: string): boolean {
  return [deny, ask, allow].some(({ contentRules }) => contentRules.has(name))
}
