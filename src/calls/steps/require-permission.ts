import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import type { DecisionReason, PermissionBehavior } from '../../contract/permission/result.js'
import { decidePermission } from '../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { DecisionRequest } from '../../permissions/decide/decision-request.js'
import type { Place } from '../../permissions/paths/place.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Call, Input, KnownCall } from '../call.js'
import type { AskPermission, NoUserAvailable, PermissionAnswer } from '../call-environment.js'
import { copyPlain } from '../copy-plain.js'
import { completeAnalysis } from './analyse-command.js'
import { hookOptionsFor, hooksFor } from './hooks-of-call.js'
import { internalFieldsOf, stripInternalFields } from './parse-input.js'
import { type HookedCall, recheckHookInput, recheckInput } from './run-pre-hooks.js'

declare const allowed: unique symbol

/** A call that may run with this input. */
export interface AllowedCall extends KnownCall {
  readonly [allowed]: true
}

/** Lets a call continue if it is allowed, by a decision or by the user. Throws the refusal otherwise. */
export function requirePermission(hooked: HookedCall): MaybePromise<AllowedCall> {
  const canAsk = hooked.call.environment.ask !== undefined || hooksFor('PermissionRequest', hooked) !== undefined
  return andThen(decideCall(hooked, canAsk), (outcome) => {
    const isAllowedAsIs = outcome.behavior === 'allow' && !changesInput(hooked, outcome)
    return isAllowedAsIs ? toAllowedCall(hooked, hooked.input) : requireApproval(hooked, outcome, canAsk)
  })
}

async function requireApproval(hooked: HookedCall, outcome: PermissionOutcome, canAsk: boolean): Promise<AllowedCall> {
  const { call, tool } = hooked
  const input = await getApprovedInput(hooked, outcome, canAsk)
  // The input may have changed since the last decision.
  call.command = await completeAnalysis({ call, tool, input })
  return toAllowedCall(hooked, input)
}

function toAllowedCall({ call, tool }: HookedCall, input: Input): AllowedCall {
  const allowedCall = { call, tool, input } as AllowedCall
  call.allowed = allowedCall
  return allowedCall
}

function changesInput({ call, input }: HookedCall, { behavior, updatedInput }: PermissionOutcome): boolean {
  return behavior !== 'deny' && updatedInput !== undefined && updatedInput !== call.observe(input)
}

async function getApprovedInput(hooked: HookedCall, outcome: PermissionOutcome, canAsk: boolean): Promise<Input> {
  if (!changesInput(hooked, outcome)) return followDecision(hooked, outcome)
  // An input that the tool's own permission check changed is decided on again, because the changed input is used.
  const changedCall = await recheckInput(hooked, outcome.updatedInput)
  return followDecision(changedCall, changedCall === hooked ? outcome : await decideCall(changedCall, canAsk))
}

async function followDecision(hooked: HookedCall, outcome: PermissionOutcome): Promise<Input> {
  if (outcome.behavior === 'allow') return hooked.input
  if (outcome.behavior === 'ask') return askAboutCall(hooked, outcome)
  return refuseCall(hooked, refusalCodeOf(outcome), outcome.message)
}

/**
 * Gets an answer to a permission question: from the PermissionRequest hooks if they may decide, otherwise from the user.
 * Returns the approved input, or throws the refusal.
 */
async function askAboutCall(hooked: HookedCall, question: PermissionOutcome): Promise<Input> {
  const answer = await askRequestHooks(hooked)
  if (answer?.behavior === 'deny') {
    reportDecision(hooked.call, 'deny', { type: 'hook', text: answer.message ?? 'denied' })
    return refuseCall(hooked, 'hook_blocked', describeHookDenial(hooked.tool.name, answer.message))
  }
  // Only questions that come from a mode or the default can be answered by a hook.
  if (answer === undefined || question.isOpen !== true) return askUser(hooked, question)
  return followHookApproval(hooked, answer.updatedInput, question)
}

/** Runs the PermissionRequest hooks. Returns undefined if they leave the answer to the user. */
async function askRequestHooks(hooked: HookedCall): Promise<PermissionAnswer | undefined> {
  const hooks = hooksFor('PermissionRequest', hooked)
  if (hooks === undefined) return undefined
  const { call, tool, input } = hooked
  const observed = call.observe(input)
  const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: call.toolUse.id }
  const outcome = await hooks.run('PermissionRequest', fields, hookOptionsFor(hooked, observed))
  call.receiveHookOutcome(outcome)
  call.throwIfCancelled()
  const { permission, updatedInput } = outcome
  if (permission?.behavior === 'deny') return { behavior: 'deny', message: permission.reason }
  if (permission?.behavior !== 'allow') return undefined
  return updatedInput === undefined ? { behavior: 'allow' } : { behavior: 'allow', updatedInput }
}

/** An input that the hook changed may raise a question that the hook cannot answer. */
async function followHookApproval(
  hooked: HookedCall,
  updatedInput: unknown,
  question: PermissionOutcome,
): Promise<Input> {
  const changedCall = await recheckHookInput(hooked, updatedInput)
  const outcome = changedCall === hooked ? question : await decideCall(changedCall, true)
  if (outcome.behavior === 'deny') return refuseCall(changedCall, refusalCodeOf(outcome), outcome.message)
  if (outcome.behavior === 'ask' && outcome.isOpen !== true) return askUser(changedCall, outcome)
  if (outcome.behavior === 'ask') reportDecision(changedCall.call, 'allow', { type: 'hook', text: 'allowed' })
  return changedCall.input
}

async function askUser(hooked: HookedCall, question: PermissionOutcome): Promise<Input> {
  const { ask } = hooked.call.environment
  const result =
    ask === undefined ? { outcome: await decideCall(hooked, false) } : await askInTurn(hooked, question, ask)
  if ('answer' in result) return followAnswer(hooked, result.answer)
  const { outcome } = result
  return outcome.behavior === 'allow' ? hooked.input : refuseCall(hooked, refusalCodeOf(outcome), outcome.message)
}

/** The user's answer, or the decision that replaces it: an earlier answer settled the question, or no user is available. */
type QuestionResult = { readonly answer: PermissionAnswer } | { readonly outcome: PermissionOutcome }

/** Asks the user when it is this call's turn. An invalid answer, or a question that fails, counts as a denial. */
async function askInTurn(hooked: HookedCall, question: PermissionOutcome, ask: AskPermission): Promise<QuestionResult> {
  const { call } = hooked
  let waitedMs = 0
  const askOnTurn = () =>
    call.run.askInTurn(call, async (): Promise<QuestionResult> => {
      const isCurrent = call.decidedPermissions === call.environment.permissions()
      const current = isCurrent ? question : await decideCall(hooked, true)
      if (current.behavior !== 'ask') return { outcome: current }
      const startMs = performance.now()
      const answer = await askQuestion(hooked, current, ask)
      waitedMs = Math.round(performance.now() - startMs)
      call.waitedMs += waitedMs
      // An answer about a cancelled call does not count.
      call.throwIfCancelled()
      if (answer.behavior === 'unavailable') return { outcome: await decideCall(hooked, false) }
      // Applied before the next question is asked, because the updates may answer it.
      await applyUpdates(hooked, answer)
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

/** Updates can be restrictions, so an answer whose updates cannot be saved does not count. */
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

async function followAnswer(hooked: HookedCall, answer: PermissionAnswer): Promise<Input> {
  if (answer.behavior === 'deny') {
    return refuseCall(hooked, 'permission_denied', describeUserDenial(hooked.tool.name, answer.message))
  }
  const input = await getAnsweredInput(hooked, answer.updatedInput)
  hooked.call.isApprovedByUser = true
  return input
}

/** The user may change the input. Only the user's answer can set fields that are reserved for the runtime. */
async function getAnsweredInput(hooked: HookedCall, updated: Readonly<Input> | undefined): Promise<Input> {
  if (updated === undefined) return hooked.input
  const changedCall = await recheckInput(hooked, stripInternalFields({ ...updated }))
  if (changedCall !== hooked) await requireNotDenied(changedCall)
  const internal = internalFieldsOf(updated)
  return internal === undefined ? changedCall.input : { ...changedCall.input, ...internal }
}

/** The user has approved the changed input, but a deny rule still applies to it. */
async function requireNotDenied(changedCall: HookedCall): Promise<void> {
  const outcome = await decideCall(changedCall, true)
  if (outcome.behavior === 'deny') {
    await refuseCall(changedCall, refusalCodeOf(outcome), `The changed input is not allowed. ${outcome.message}`)
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
function decideCall(hooked: HookedCall, canAsk: boolean): MaybePromise<PermissionOutcome> {
  const { call } = hooked
  return andThen(completeAnalysis(hooked), (command) => {
    call.command = command
    const decision = decidePermission(createDecisionRequest(hooked, canAsk), call.environment.decisionPorts)
    return andThen(decision, (outcome) => recordDecision(call, outcome))
  })
}

function recordDecision(call: Call, outcome: PermissionOutcome): PermissionOutcome {
  call.judgedPaths = outcome.judgedPaths
  // In plan mode, an allow rule covers only reading, so it must not lift the read-only sandbox.
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
    place: getPlaceAt(environment.pathContext, cwd),
    canAsk,
    ...(opinion !== undefined && { hook: opinion }),
    ...(permissions.mode === 'auto' || opinion !== undefined ? environment.autoMode?.() : undefined),
  }
}

const cachedPlaces = new WeakMap<Omit<Place, 'cwd'>, Place>()

/** Permission caches are keyed by the place object, so calls in the same folder share one. */
function getPlaceAt(place: Omit<Place, 'cwd'>, cwd: string): Place {
  const cached = cachedPlaces.get(place)
  if (cached?.cwd === cwd) return cached
  const created = { ...place, cwd }
  cachedPlaces.set(place, created)
  return created
}

/** Emits a decision, with the time that the user took to answer. */
function reportDecision(call: Call, behavior: PermissionBehavior, reason: DecisionReason, waitedMs?: number): void {
  const event = { type: 'permission-decided', toolUseId: call.toolUse.id, at: Date.now(), behavior, reason } as const
  call.emit(waitedMs === undefined ? event : { ...event, waitedMs })
}

/** Ends a call that may not run: runs its PermissionDenied hooks, then throws the error for the model. */
async function refuseCall(hooked: HookedCall, code: ToolCallErrorCode, reason: string): Promise<never> {
  const hooks = hooksFor('PermissionDenied', hooked)
  if (hooks !== undefined) {
    const { call, tool, input } = hooked
    const observed = call.observe(input)
    const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: call.toolUse.id, reason }
    call.receiveHookOutcome(await hooks.run('PermissionDenied', fields, hookOptionsFor(hooked, observed)))
  }
  throw new ToolCallError(code, reason)
}

function refusalCodeOf({ needsUser, reason }: PermissionOutcome): ToolCallErrorCode {
  if (needsUser === true) return 'permission_needed'
  return reason.type === 'hook' ? 'hook_blocked' : 'permission_denied'
}
