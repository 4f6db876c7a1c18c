import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import { findQuestionFacts } from '../../contract/tool/question-facts.js'
import type { HookRunner } from '../../hooks/create-hook-runner.js'
import { DEFAULT_QUESTION_DELAY_MS } from '../../permissions/decide/answer-question.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import type { Input, KnownCall } from '../call.js'
import type { AskPermission, NoUserAvailable, PermissionAnswer } from '../call-environment.js'
import { copyPlain } from '../copy-plain.js'
import { completeAnalysis } from './analyse-command.js'
import { decideCall, recordDecision, reportDecision } from './decide-call.js'
import { recordInputChange } from './describe-input-change.js'
import { OtherAnswers, type Settlement } from './other-answers.js'
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
 * Gets an answer to a permission question: from the PermissionRequest hooks or the classifier if they may decide, otherwise from
 * the user. All of them work at the same time. Returns the approved input, or throws the refusal.
 */
async function askAboutCall(hookedCall: HookedCall, question: PermissionOutcome): Promise<Input> {
  const { call } = hookedCall
  const { questionDelayMs = DEFAULT_QUESTION_DELAY_MS } = call.environment.decisionPorts
  const others = new OtherAnswers({ hooks: askRequestHooks(hookedCall), question })
  await others.waitBeforeQuestion(questionDelayMs, call.context.signal)
  call.throwIfCancelled()
  const { settlement } = others
  return settlement === undefined
    ? askUser(hookedCall, question, others)
    : followSettlement(hookedCall, settlement, question)
}

/** Follows an answer that was not given by the user. */
async function followSettlement(
  hookedCall: HookedCall,
  settlement: Settlement,
  question: PermissionOutcome,
): Promise<Input> {
  const { call, tool } = hookedCall
  if (settlement.by === 'classifier') {
    const arePermissionsCurrent = call.decidedPermissions === call.environment.permissions()
    if (!arePermissionsCurrent) return followDecision(hookedCall, await decideCall(hookedCall, true))
    return followDecision(hookedCall, recordDecision(call, settlement.outcome))
  }
  const { answer } = settlement
  if (answer.behavior === 'allow') return followHookApproval(hookedCall, answer.updatedInput, question)
  reportDecision(call, 'deny', { type: 'hook', text: answer.message ?? 'denied' })
  return refuseCall(hookedCall, 'hook_blocked', describeHookDenial(tool.name, answer.message))
}

/** Starts the PermissionRequest hooks; undefined if none matches. They resolve to undefined if they leave the answer to the user. */
function askRequestHooks(hookedCall: HookedCall): Promise<PermissionAnswer | undefined> | undefined {
  const hooks = hooksFor('PermissionRequest', hookedCall)
  return hooks === undefined ? undefined : runRequestHooks(hookedCall, hooks)
}

async function runRequestHooks(hookedCall: HookedCall, hooks: HookRunner): Promise<PermissionAnswer | undefined> {
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

async function askUser(
  hookedCall: HookedCall,
  question: PermissionOutcome,
  others = new OtherAnswers({ hooks: undefined, question }),
): Promise<Input> {
  const { ask } = hookedCall.call.environment
  const result =
    ask === undefined
      ? { outcome: await decideWithoutUser(hookedCall, question) }
      : await askInTurn(hookedCall, question, ask, others)
  if ('settlement' in result) return followSettlement(hookedCall, result.settlement, question)
  if ('answer' in result) return followAnswer(hookedCall, result.answer)
  const { outcome } = result
  return outcome.behavior === 'allow'
    ? hookedCall.input
    : refuseCall(hookedCall, chooseRefusalCode(outcome), outcome.message)
}

/** Decides without a user. A classifier that still works on the question is awaited. */
function decideWithoutUser(hookedCall: HookedCall, question: PermissionOutcome): MaybePromise<PermissionOutcome> {
  const { laterOutcome } = question
  return laterOutcome === undefined
    ? decideCall(hookedCall, false)
    : laterOutcome.then(() => decideCall(hookedCall, false))
}

/**
 * The user's answer, what settled the question instead, or the decision that replaces it: an earlier answer settled the question,
 * or no user is available.
 */
type QuestionResult =
  | { readonly answer: PermissionAnswer; readonly waitedMs: number }
  | { readonly settlement: Settlement }
  | { readonly outcome: PermissionOutcome }

/** Asks the user when it is this call's turn. An invalid answer, or a question that fails, counts as a denial. */
async function askInTurn(
  hookedCall: HookedCall,
  question: PermissionOutcome,
  ask: AskPermission,
  others: OtherAnswers,
): Promise<QuestionResult> {
  const { call } = hookedCall
  const askOnTurn = () => call.run.askInTurn(call, () => askNow(hookedCall, question, ask, others))
  const asking = call.timeLimit === undefined ? askOnTurn() : call.timeLimit.pauseDuring(askOnTurn)
  // A question that still waits for its turn need not be asked once it is settled.
  const result = await waitUnlessSettled(asking, others)
  call.throwIfCancelled()
  const settled = result?.value ?? getSettlement(others)
  if ('answer' in settled) {
    const { answer, waitedMs } = settled
    const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
    reportDecision(call, answer.behavior, { type: 'person', text }, { waitedMs })
  }
  return settled
}

/** Asks the user, unless the question has been settled while it waited for its turn. */
async function askNow(
  hookedCall: HookedCall,
  question: PermissionOutcome,
  ask: AskPermission,
  others: OtherAnswers,
): Promise<QuestionResult> {
  const { call } = hookedCall
  if (others.settlement !== undefined) return getSettlement(others)
  const arePermissionsCurrent = call.decidedPermissions === call.environment.permissions()
  const currentQuestion = arePermissionsCurrent ? question : await decideCall(hookedCall, true)
  if (currentQuestion.behavior !== 'ask') return { outcome: currentQuestion }
  const startMs = performance.now()
  const result = await waitUnlessSettled(askQuestion(hookedCall, currentQuestion, ask, others), others)
  const waitedMs = Math.round(performance.now() - startMs)
  call.waitedMs += waitedMs
  // An answer about a cancelled call does not count.
  call.throwIfCancelled()
  if (result === undefined) return getSettlement(others)
  const { value: answer } = result
  if (answer.behavior === 'unavailable') return { outcome: await decideWithoutUser(hookedCall, currentQuestion) }
  const denial = answer.behavior === 'allow' ? await others.findDenial(call.context.signal) : undefined
  if (denial !== undefined) return { settlement: denial }
  // Applied before the next question is asked, because the updates may answer it.
  await applyUpdates(hookedCall, answer)
  return { answer, waitedMs }
}

/** Returns undefined if something else settles the question before the work is done. */
async function waitUnlessSettled<T>(
  work: Promise<T>,
  others: OtherAnswers,
): Promise<{ readonly value: T } | undefined> {
  return others.canSettle ? waitUnlessAborted(work, others.withdrawn) : { value: await work }
}

function getSettlement({ settlement }: OtherAnswers): { readonly settlement: Settlement } {
  if (settlement === undefined) throw new Error('The question was withdrawn without an answer.')
  return { settlement }
}

async function askQuestion(
  { call, tool, input }: HookedCall,
  { message, reason, suggestions, preview, trace }: PermissionOutcome,
  ask: AskPermission,
  others: OtherAnswers,
): Promise<PermissionAnswer | NoUserAvailable> {
  call.throwIfCancelled()
  const toolUseId = call.toolUse.id
  const observedInput = call.observe(input)
  const facts = await findQuestionFacts(
    { tool, input: observedInput, command: call.command },
    {
      isNonInteractiveSession: false,
      toolPermissionContext: call.environment.permissions(),
      tools: call.context.options.tools,
    },
  )
  call.throwIfCancelled()
  call.emit({ type: 'permission-asked', toolUseId, at: Date.now(), message, suggestions, trace })
  try {
    const answer = await ask({
      ...{ toolUseId, tool, message, reason, suggestions },
      signal: others.canSettle ? AbortSignal.any([call.context.signal, others.withdrawn]) : call.context.signal,
      ...(others.canSettle && { beginAnswer: () => others.beginUserAnswer() }),
      // A copy: changes count only as part of the answer.
      input: copyPlain(observedInput),
      ...facts,
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
  recordInputChange(hookedCall, { by: 'The user', before: hookedCall.input, after: changedCall.input })
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
