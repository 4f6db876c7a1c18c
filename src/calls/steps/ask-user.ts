import { ToolCallError } from '../../contract/errors.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { Input } from '../call.js'
import type { AskPermission, NoUserAvailable, PermissionAnswer } from '../call-environment.js'
import { copyPlain } from '../copy-plain.js'
import { decideCall, refusalCode, refuseCall, reportDecision } from './decide-call.js'
import { hookOptions, hooksFor } from './hooks-of-call.js'
import { internalFieldsOf, stripInternalFields } from './parse-input.js'
import { type HookedCall, recheckHookInput, recheckInput } from './run-pre-hooks.js'

/**
 * Gets an answer to a permission question: from the PermissionRequest hooks if they may give it, otherwise from the user.
 * Returns the approved input, or throws the refusal.
 */
export async function askAboutCall(hooked: HookedCall, question: PermissionOutcome): Promise<Input> {
  const answer = await askRequestHooks(hooked)
  if (answer?.behavior === 'deny') {
    reportDecision(hooked.call, 'deny', { type: 'hook', text: answer.message ?? 'denied' })
    return refuseCall(hooked, 'hook_blocked', deniedByHook(hooked.tool.name, answer.message))
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
  const outcome = await hooks.run('PermissionRequest', fields, hookOptions(hooked, observed))
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
  const changed = await recheckHookInput(hooked, updatedInput)
  const outcome = changed === hooked ? question : await decideCall(changed, true)
  if (outcome.behavior === 'deny') return refuseCall(changed, refusalCode(outcome), outcome.message)
  if (outcome.behavior === 'ask' && outcome.isOpen !== true) return askUser(changed, outcome)
  if (outcome.behavior === 'ask') reportDecision(changed.call, 'allow', { type: 'hook', text: 'allowed' })
  return changed.input
}

async function askUser(hooked: HookedCall, question: PermissionOutcome): Promise<Input> {
  const { ask } = hooked.call.environment
  const asked =
    ask === undefined ? { outcome: await decideCall(hooked, false) } : await askInTurn(hooked, question, ask)
  if ('answer' in asked) return followAnswer(hooked, asked.answer)
  const { outcome } = asked
  return outcome.behavior === 'allow' ? hooked.input : refuseCall(hooked, refusalCode(outcome), outcome.message)
}

/** The user's answer, or a decision that an earlier answer made possible while this question waited. */
type Asked = { readonly answer: PermissionAnswer } | { readonly outcome: PermissionOutcome }

/** Asks the user when it is this call's turn. Anything but a clear answer is a no. */
async function askInTurn(hooked: HookedCall, question: PermissionOutcome, ask: AskPermission): Promise<Asked> {
  const { call } = hooked
  let waitedMs = 0
  const askOnTurn = () =>
    call.run.askInTurn(call, async (): Promise<Asked> => {
      const isCurrent = call.judgedBy === call.environment.permissions()
      const current = isCurrent ? question : await decideCall(hooked, true)
      if (current.behavior !== 'ask') return { outcome: current }
      const startMs = performance.now()
      const answer = await askQuestion(hooked, current, ask)
      waitedMs = Math.round(performance.now() - startMs)
      call.waitedMs += waitedMs
      // The answer to a cancelled call does not count.
      call.throwIfCancelled()
      if (answer.behavior === 'unavailable') return { outcome: await decideCall(hooked, false) }
      // Applied before the next question is asked, because the updates may answer it.
      await applyUpdates(hooked, answer)
      return { answer }
    })
  const asked = await (call.timeLimit === undefined ? askOnTurn() : call.timeLimit.pauseDuring(askOnTurn))
  call.throwIfCancelled()
  if ('answer' in asked) {
    const { answer } = asked
    const text = answer.behavior === 'deny' ? (answer.message ?? 'denied') : 'allowed'
    reportDecision(call, answer.behavior, { type: 'person', text }, waitedMs)
  }
  return asked
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
    return isAnswer(answer) ? answer : { behavior: 'deny', message: 'No answer was given.' }
  } catch (error) {
    return { behavior: 'deny', message: `The question failed: ${reasonOf(error)}` }
  }
}

function isAnswer(
  answer: PermissionAnswer | NoUserAvailable | undefined,
): answer is PermissionAnswer | NoUserAvailable {
  if (answer?.behavior === 'deny' || answer?.behavior === 'unavailable') return true
  if (answer?.behavior !== 'allow') return false
  const { updatedInput, updates } = answer
  const hasInput = updatedInput === undefined || (typeof updatedInput === 'object' && updatedInput !== null)
  return hasInput && (updates === undefined || Array.isArray(updates))
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
    return refuseCall(hooked, 'permission_denied', deniedByUser(hooked.tool.name, answer.message))
  }
  const input = await answeredInput(hooked, answer.updatedInput)
  hooked.call.isApprovedByUser = true
  return input
}

/** The user may change the input. Only the user's answer can set fields that are reserved for the runtime. */
async function answeredInput(hooked: HookedCall, updated: Readonly<Input> | undefined): Promise<Input> {
  if (updated === undefined) return hooked.input
  const changed = await recheckInput(hooked, stripInternalFields({ ...updated }))
  if (changed !== hooked) await requireNotDenied(changed)
  const internal = internalFieldsOf(updated)
  return internal === undefined ? changed.input : { ...changed.input, ...internal }
}

/** The user has approved the changed input, but a deny rule still applies to it. */
async function requireNotDenied(changed: HookedCall): Promise<void> {
  const outcome = await decideCall(changed, true)
  if (outcome.behavior === 'deny') {
    await refuseCall(changed, refusalCode(outcome), `The changed input is not allowed. ${outcome.message}`)
  }
}

function deniedByHook(toolName: string, message: string | undefined): string {
  return `A hook denied this call of ${toolName}${message === undefined ? '.' : `: ${message}`}`
}

function deniedByUser(toolName: string, message: string | undefined): string {
  const details = message === undefined ? ' Stop and ask what to do instead.' : ` They said: ${message}`
  return `The user does not want ${toolName} to run.${details}`
}
