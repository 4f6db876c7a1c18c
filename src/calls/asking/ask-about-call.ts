import { ToolCallError } from '../../contract/errors.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PermissionAnswer } from '../call-environment.js'
import type { CallScope } from '../call-scope.js'
import { type AllowedCall, enter, type HookedCall, type Input } from '../call-states.js'
import { decideCall, reportDecision } from '../steps/decide-call.js'
import { internalFieldsOf, stripInternalFields } from '../steps/internal-fields.js'
import { recheckHookInput, recheckInput } from '../steps/recheck-input.js'
import { refusalCode, refuseCall } from '../steps/refuse-call.js'
import { askPerson } from './ask-person.js'
import { askRequestHooks } from './ask-request-hooks.js'

/** Finds an answer to a question about a call: by its PermissionRequest hooks where they may give it, else by a person. */
export async function askAboutCall(
  call: HookedCall,
  question: PermissionOutcome,
  scope: CallScope,
): Promise<AllowedCall> {
  const answer = await askRequestHooks(call, scope)
  if (answer?.behavior === 'deny') {
    reportDecision(scope, 'deny', { type: 'hook', text: answer.message ?? 'denied' })
    return refuseCall(call, scope, 'hook_blocked', deniedByHook(call.tool.name, answer.message))
  }
  if (answer === undefined || question.isOpen !== true) return askAnybody(call, question, scope)
  return takeHookAnswer(call, answer, question, scope)
}

/** A hook answers what a mode or the default asks; what it makes of the input may raise a question that is not its to answer. */
async function takeHookAnswer(
  call: HookedCall,
  { updatedInput }: Extract<PermissionAnswer, { behavior: 'allow' }>,
  question: PermissionOutcome,
  scope: CallScope,
): Promise<AllowedCall> {
  const input = await recheckHookInput(call, updatedInput, scope)
  const changed = input === call.input ? call : enter<HookedCall>({ ...call, input })
  const outcome = changed === call ? question : await decideCall(changed, scope, true)
  if (outcome.behavior === 'deny') return refuseCall(changed, scope, refusalCode(outcome), outcome.message)
  if (outcome.behavior === 'ask' && outcome.isOpen !== true) return askAnybody(changed, outcome, scope)
  if (outcome.behavior === 'ask') reportDecision(scope, 'allow', { type: 'hook', text: 'allowed' })
  return enter<AllowedCall>(changed)
}

async function askAnybody(call: HookedCall, question: PermissionOutcome, scope: CallScope): Promise<AllowedCall> {
  const { ask } = scope.host
  const heed = (answer: PermissionAnswer) => applyUpdates(call, answer, scope)
  const asked =
    ask === undefined
      ? { outcome: await decideCall(call, scope, false) }
      : await askPerson(call, question, { ask, heed }, scope)
  if ('answer' in asked) return takeAnswer(call, asked.answer, scope)
  const { outcome } = asked
  if (outcome.behavior === 'allow') return enter<AllowedCall>(call)
  return refuseCall(call, scope, refusalCode(outcome), outcome.message)
}

async function takeAnswer(call: HookedCall, answer: PermissionAnswer, scope: CallScope): Promise<AllowedCall> {
  if (answer.behavior === 'deny') {
    return refuseCall(call, scope, 'permission_denied', deniedByPerson(call.tool.name, answer.message))
  }
  const allowed = enter<AllowedCall>({ ...call, input: await answeredInput(call, answer.updatedInput, scope) })
  scope.isApprovedByPerson = true
  return allowed
}

/** An answer may hold rules that restrict: one that could not be kept counts as none. */
async function applyUpdates(call: HookedCall, answer: PermissionAnswer, { host }: CallScope): Promise<void> {
  const updates = answer.behavior === 'allow' ? (answer.updates ?? []) : []
  if (updates.length === 0) return
  try {
    await host.applyUpdates?.(updates)
  } catch (cause) {
    const message = `${call.tool.name} did not run, because the user's answer could not be saved: ${reasonOf(cause)}`
    throw new ToolCallError('permission_denied', message, { cause })
  }
}

/** A person may change the input, and that answer alone may set the fields that only the runtime sets. */
async function answeredInput(
  call: HookedCall,
  updated: Readonly<Record<string, unknown>> | undefined,
  scope: CallScope,
): Promise<Input> {
  if (updated === undefined) return call.input
  const input = await recheckInput(call, stripInternalFields({ ...updated }), scope)
  if (input !== call.input) await judgeAnswered(enter<HookedCall>({ ...call, input }), scope)
  const internal = internalFieldsOf(updated)
  return internal === undefined ? input : { ...input, ...internal }
}

/** The person has allowed what they wrote, so that only a denial is left to fear: what a rule denies stays denied. */
async function judgeAnswered(changed: HookedCall, scope: CallScope): Promise<void> {
  const outcome = await decideCall(changed, scope, true)
  if (outcome.behavior === 'deny') {
    await refuseCall(changed, scope, refusalCode(outcome), `The changed input is not allowed. ${outcome.message}`)
  }
}

function deniedByHook(toolName: string, message: string | undefined): string {
  return `A hook denied this call of ${toolName}${message === undefined ? '.' : `: ${message}`}`
}

function deniedByPerson(toolName: string, message: string | undefined): string {
  const told = message === undefined ? ' Stop and ask what to do instead.' : ` They said: ${message}`
  return `The user does not want ${toolName} to run.${told}`
}
