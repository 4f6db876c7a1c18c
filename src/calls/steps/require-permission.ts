import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import type { DecisionReason, PermissionBehavior } from '../../contract/permission/result.js'
import { decidePermission } from '../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { DecisionRequest } from '../../permissions/decide/decision-request.js'
import type { PathContext } from '../../permissions/paths/normalise-path.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Call, Input, KnownCall } from '../call.js'
import type { AskPermission, NoUserAvailable, PermissionAnswer } from '../call-environment.js'
import { copyPlain } from '../copy-plain.js'
import { completeAnalysis } from './analyse-command.js'
import { extractInternalFields, stripInternalFields } from './parse-input.js'
import { type HookedCall, hookOptionsFor, hooksFor, recheckHookInput, recheckInput } from './run-pre-hooks.js'

declare const allowedBrand: unique symbol

/** A call that may run with this input. */
export interface AllowedCall extends KnownCall {
  readonly [allowedBrand]: true
}

/** Lets a call continue if it is allowed, by a decision or by the user. Throws the refusal otherwise. */
export function requirePermission(hookedCall: HookedCall): MaybePromise<AllowedCall> {
  const canAsk =
    hookedCall.call.environment.ask !== undefined || hooksFor('PermissionRequest', hookedCall) !== undefined
  return andThen(decideCall(hookedCall, canAsk), (outcome) => {
    const isAllowedAsIs = outcome.behavior === 'allow' && !changesInput(hookedCall, outcome)
    return isAllowedAsIs ? toAllowedCall(hookedCall, hookedCall.input) : requireApproval(hookedCall, outcome, canAsk)
  })
}

async function requireApproval(
  hookedCall: HookedCall,
  outcome: PermissionOutcome,
  canAsk: boolean,
): Promise<AllowedCall> {
  const { call, tool } = hookedCall
  const input = await getApprovedInput(hookedCall, outcome, canAsk)
  // The input may have changed since the last decision.
  call.command = await completeAnalysis({ call, tool, input })
  return toAllowedCall(hookedCall, input)
}

function toAllowedCall({ call, tool }: HookedCall, input: Input): AllowedCall {
  const allowedCall = { call, tool, input } as AllowedCall
  call.allowedCall = allowedCall
  return allowedCall
}

function changesInput({ call, input }: HookedCall, { behavior, updatedInput }: PermissionOutcome): boolean {
  return behavior !== 'deny' && updatedInput !== undefined && updatedInput !== call.observe(input)
}

async function getApprovedInput(hookedCall: HookedCall, outcome: PermissionOutcome, canAsk: boolean): Promise<Input> {
  if (!changesInput(hookedCall, outcome)) return followDecision(hookedCall, outcome)
  // An input that the tool's own permission check changed is decided on again, because the changed input is used.
  const changedCall = await recheckInput(hookedCall, outcome.updatedInput)
  return followDecision(changedCall, changedCall === hookedCall ? outcome : await decideCall(changedCall, canAsk))
}

async function followDecision(hookedCall: HookedCall, outcome: PermissionOutcome): Promise<Input> {
  if (outcome.behavior === 'allow') return hookedCall.input
  if (outcome.behavior === 'ask') return askAboutCall(hookedCall, outcome)
  return refuseCall(hookedCall, chooseRefusalCode(outcome), outcome.message)
}

/**
 * Gets an answer to a permission question: from the PermissionRequest hooks if they may decide, otherwise from the user.
 * Returns the approved input, or throws the refusal.
 */
async function askAboutCall(hookedCall: HookedCall, question: PermissionOutcome): Promise<Input> {
  const answer = await askRequestHooks(hookedCall)
  if (answer?.behavior === 'deny') {
    reportDecision(hookedCall.call, 'deny', { type: 'hook', text: answer.message ?? 'denied' })
    return refuseCall(hookedCall, 'hook_blocked', describeHookDenial(hookedCall.tool.name, answer.message))
  }
  // Only questions that come from a mode or the default can be answered by a hook.
  if (answer === undefined || question.isOpen !== true) return askUser(hookedCall, question)
  return followHookApproval(hookedCall, answer.updatedInput, question)
}

/** Runs the PermissionRequest hooks. Returns undefined if they leave the answer to the user. */
async function askRequestHooks(hookedCall: HookedCall): Promise<PermissionAnswer | undefined> {
  const hooks = hooksFor('PermissionRequest', hookedCall)
  if (hooks === undefined) return undefined
  const { call, tool, input } = hookedCall
  const observedInput = call.observe(input)
  const fields = call.hookFields(tool.name, observedInput)
  const outcome = await hooks.run('PermissionRequest', fields, hookOptionsFor(hookedCall, observedInput))
  call.receiveHookOutcome(outcome)
  call.throwIfCancelled()
  const { permission, updatedInput } = outcome
  if (permission?.behavior === 'deny') return { behavior: 'deny', message: permission.reason }
  if (permission?.behavior !== 'allow') return undefined
  return updatedInput === undefined ? { behavior: 'allow' } : { behavior: 'allow', updatedInput }
}

/**
 * Continues a call that a hook has approved. An input that the hook changed may raise a question that the hook cannot answer.
 */
async function followHookApproval(
  hookedCall: HookedCall,
  updatedInput: unknown,
  question: PermissionOutcome,
): Promise<Input> {
  const changedCall = await recheckHookInput(hookedCall, updatedInput)
  const outcome = changedCall === hookedCall ? question : await decideCall(changedCall, true)
  if (outcome.behavior === 'deny') return refuseCall(changedCall, chooseRefusalCode(outcome), outcome.message)
  if (outcome.behavior === 'ask' && outcome.isOpen !== true) return askUser(changedCall, outcome)
  if (outcome.behavior === 'ask') reportDecision(changedCall.call, 'allow', { type: 'hook', text: 'allowed' })
  return changedCall.input
}

async function askUser(hookedCall: HookedCall, question: PermissionOutcome): Promise<Input> {
  const { ask } = hookedCall.call.environment
  const result =
    ask === undefined ? { outcome: await decideCall(hookedCall, false) } : await askInTurn(hookedCall, question, ask)
  if ('answer' in result) return followAnswer(hookedCall, result.answer)
  const { outcome } = result
  return outcome.behavior === 'allow'
    ? hookedCall.input
    : refuseCall(hookedCall, chooseRefusalCode(outcome), outcome.message)
}

/** The user's answer, or the decision that replaces it: an earlier answer settled the question, or no user is available. */
type QuestionResult = { readonly answer: PermissionAnswer } | { readonly outcome: PermissionOutcome }

/** Asks the user when it is this call's turn. An invalid answer, or a question that fails, counts as a denial. */
async function askInTurn(
  hookedCall: HookedCall,
  question: PermissionOutcome,
  ask: AskPermission,
): Promise<QuestionResult> {
  const { call } = hookedCall
  let waitedMs = 0
  const askOnTurn = () =>
    call.run.askInTurn(call, async (): Promise<QuestionResult> => {
      const arePermissionsCurrent = call.decidedPermissions === call.environment.permissions()
      const currentQuestion = arePermissionsCurrent ? question : await decideCall(hookedCall, true)
      if (currentQuestion.behavior !== 'ask') return { outcome: currentQuestion }
      const startMs = performance.now()
      const answer = await askQuestion(hookedCall, currentQuestion, ask)
      waitedMs = Math.round(performance.now() - startMs)
      call.waitedMs += waitedMs
      // An answer about a cancelled call does not count.
      call.throwIfCancelled()
      if (answer.behavior === 'unavailable') return { outcome: await decideCall(hookedCall, false) }
      // Applied before the next question is asked, because the updates may answer it.
      await applyUpdates(hookedCall, answer)
      return { answer }
    })
  const result = await (call.timeLimit === undefined ? askOnTurn() : call.timeLimit.pauseDuring(askOnTurn))
  call.throwIfCancelled()
  if ('answer' in result) {
    const { answer } = result
    const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
    reportDecision(call, answer.behavior, { type: 'person', text }, waitedMs)
  }
  return result
}

async function askQuestion(
  { call, tool, input }: HookedCall,
  { message, reason, suggestions, preview }: PermissionOutcome,
  ask: AskPermission,
): Promise<PermissionAnswer | NoUserAvailable> {
  call.throwIfCancelled()
  const toolUseId = call.toolUse.id
  call.emit({ type: 'permission-asked', toolUseId, at: Date.now(), message, suggestions })
  try {
    const answer = await ask({
      ...{ toolUseId, tool, message, reason, suggestions, signal: call.context.signal },
      // A copy: changes count only as part of the answer.
      input: copyPlain(call.observe(input)),
      ...(preview !== undefined && { preview }),
      ...(call.command !== undefined && { command: call.command }),
      countWaiting: () => call.run.countWaitingQuestions(),
    })
    return isAnswer(answer)
      ? answer
      : { behavior: 'deny', message: 'The permission question received no valid answer.' }
  } catch (error) {
    return { behavior: 'deny', message: `The permission question failed: ${reasonOf(error)}` }
  }
}

function isAnswer(
  answer: PermissionAnswer | NoUserAvailable | undefined,
): answer is PermissionAnswer | NoUserAvailable {
  if (answer?.behavior === 'deny' || answer?.behavior === 'unavailable') return true
  if (answer?.behavior !== 'allow') return false
  const { updatedInput, updates } = answer
  const isInputValid = updatedInput === undefined || (typeof updatedInput === 'object' && updatedInput !== null)
  return isInputValid && (updates === undefined || Array.isArray(updates))
}

/** Applies the updates of an answer. They can be restrictions, so an answer whose updates cannot be saved does not count. */
async function applyUpdates({ call, tool }: HookedCall, answer: PermissionAnswer): Promise<void> {
  const updates = answer.behavior === 'allow' ? (answer.updates ?? []) : []
  if (updates.length === 0) return
  try {
    await call.environment.applyUpdates?.(updates)
  } catch (cause) {
    const message = `${tool.name} did not run, because the user's answer could not be saved: ${reasonOf(cause)}`
    throw new ToolCallError('permission_denied', message, { cause })
  }
}

async function followAnswer(hookedCall: HookedCall, answer: PermissionAnswer): Promise<Input> {
  if (answer.behavior === 'deny') {
    return refuseCall(hookedCall, 'permission_denied', describeUserDenial(hookedCall.tool.name, answer.message))
  }
  const input = await getAnsweredInput(hookedCall, answer.updatedInput)
  hookedCall.call.isApprovedByUser = true
  return input
}

/**
 * Returns the input of an answer, which the user may have changed. Only the user's answer can set fields that are reserved for
 * the runtime.
 */
async function getAnsweredInput(hookedCall: HookedCall, updatedInput: Readonly<Input> | undefined): Promise<Input> {
  if (updatedInput === undefined) return hookedCall.input
  const changedCall = await recheckInput(hookedCall, stripInternalFields({ ...updatedInput }))
  if (changedCall !== hookedCall) await requireNotDenied(changedCall)
  const internalFields = extractInternalFields(updatedInput)
  return internalFields === undefined ? changedCall.input : { ...changedCall.input, ...internalFields }
}

/** Throws if a deny rule applies to the changed input, although the user has approved it. */
async function requireNotDenied(changedCall: HookedCall): Promise<void> {
  const outcome = await decideCall(changedCall, true)
  if (outcome.behavior === 'deny') {
    await refuseCall(changedCall, chooseRefusalCode(outcome), `The changed input is not allowed. ${outcome.message}`)
  }
}

function describeHookDenial(toolName: string, message: string | undefined): string {
  return `A hook denied this call of ${toolName}${message === undefined ? '.' : `: ${message}`}`
}

function describeUserDenial(toolName: string, message: string | undefined): string {
  const details = message === undefined ? ' Stop and ask what to do instead.' : ` They said: ${message}`
  return `The user does not want ${toolName} to run.${details}`
}

/** Decides on a call by the rules and mode that apply now. An `ask` is not reported: it has no answer yet. */
function decideCall(hookedCall: HookedCall, canAsk: boolean): MaybePromise<PermissionOutcome> {
  const { call } = hookedCall
  return andThen(completeAnalysis(hookedCall), (command) => {
    call.command = command
    const decision = decidePermission(createDecisionRequest(hookedCall, canAsk), call.environment.decisionPorts)
    return andThen(decision, (outcome) => recordDecision(call, outcome))
  })
}

function recordDecision(call: Call, outcome: PermissionOutcome): PermissionOutcome {
  call.judgedPaths = outcome.judgedPaths
  call.judgedUrl = outcome.judgedUrl
  // In plan mode, an allow rule covers only reading, so it must not turn off the read-only sandbox.
  call.isAllowedByRule =
    outcome.behavior === 'allow' && outcome.reason.type === 'rule' && call.decidedPermissions?.mode !== 'plan'
  if (outcome.stopsRun === true) call.run.stop({ by: 'permissions', reason: outcome.message })
  if (outcome.behavior !== 'ask') reportDecision(call, outcome.behavior, outcome.reason)
  return outcome
}

function createDecisionRequest({ call, tool, input, opinion }: HookedCall, canAsk: boolean): DecisionRequest {
  const { environment, context, cwd } = call
  const permissions = environment.permissions()
  call.decidedPermissions = permissions
  return {
    tool,
    input: call.observe(input),
    command: call.command,
    permissions,
    toolContext: context,
    pathContext: toPathContext(environment.pathContext, cwd),
    canAsk,
    ...(opinion !== undefined && { hook: opinion }),
    ...(permissions.mode === 'auto' || opinion !== undefined ? environment.autoMode?.() : undefined),
  }
}

const cachedPathContexts = new WeakMap<Omit<PathContext, 'cwd'>, PathContext>()

/** Returns the path context of a folder. Permission caches are keyed by this object, so calls in the same folder share one. */
function toPathContext(pathContext: Omit<PathContext, 'cwd'>, cwd: string): PathContext {
  const cached = cachedPathContexts.get(pathContext)
  if (cached?.cwd === cwd) return cached
  const createdContext = { ...pathContext, cwd }
  cachedPathContexts.set(pathContext, createdContext)
  return createdContext
}

/** Emits a decision, with the time that the user took to answer. */
function reportDecision(call: Call, behavior: PermissionBehavior, reason: DecisionReason, waitedMs?: number): void {
  const event = { type: 'permission-decided', toolUseId: call.toolUse.id, at: Date.now(), behavior, reason } as const
  call.emit(waitedMs === undefined ? event : { ...event, waitedMs })
}

/** Ends a call that may not run: runs its PermissionDenied hooks, then throws the error for the model. */
async function refuseCall(hookedCall: HookedCall, code: ToolCallErrorCode, reason: string): Promise<never> {
  const hooks = hooksFor('PermissionDenied', hookedCall)
  if (hooks !== undefined) {
    const { call, tool, input } = hookedCall
    const observedInput = call.observe(input)
    const fields = { ...call.hookFields(tool.name, observedInput), reason }
    call.receiveHookOutcome(await hooks.run('PermissionDenied', fields, hookOptionsFor(hookedCall, observedInput)))
  }
  throw new ToolCallError(code, reason)
}

function chooseRefusalCode({ needsUser, reason }: PermissionOutcome): ToolCallErrorCode {
  if (needsUser === true) return 'permission_needed'
  return reason.type === 'hook' ? 'hook_blocked' : 'permission_denied'
}
