import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { Input, KnownCall } from '../call.js'
import { completeAnalysis } from './analyse-command.js'
import { askAboutCall } from './ask-user.js'
import { decideCall, refusalCode, refuseCall } from './decide-call.js'
import { hooksFor } from './hooks-of-call.js'
import { type HookedCall, recheckInput } from './run-pre-hooks.js'

declare const allowed: unique symbol

/** The call may run with this input. */
export interface AllowedCall extends KnownCall {
  readonly [allowed]: true
}

/** Lets a call continue if it is allowed, by a decision or by the user. Throws the refusal otherwise. */
export async function requirePermission(hooked: HookedCall): Promise<AllowedCall> {
  const { call, tool } = hooked
  const canAsk = call.environment.ask !== undefined || hooksFor('PermissionRequest', hooked) !== undefined
  const outcome = await decideCall(hooked, canAsk)
  const isAllowedAsIs = outcome.behavior === 'allow' && !changesInput(hooked, outcome)
  const input = isAllowedAsIs ? hooked.input : await approvedInput(hooked, outcome, canAsk)
  // The input may have changed since the last decision.
  if (!isAllowedAsIs) call.command = await completeAnalysis({ call, tool, input })
  const allowedCall = { call, tool, input } as AllowedCall
  call.allowed = allowedCall
  return allowedCall
}

function changesInput({ call, input }: HookedCall, { behavior, updatedInput }: PermissionOutcome): boolean {
  return behavior !== 'deny' && updatedInput !== undefined && updatedInput !== call.observe(input)
}

async function approvedInput(hooked: HookedCall, outcome: PermissionOutcome, canAsk: boolean): Promise<Input> {
  if (!changesInput(hooked, outcome)) return followDecision(hooked, outcome)
  // An input that the tool's own permission check changed is judged once more: the input that is judged is the one used.
  const changed = await recheckInput(hooked, outcome.updatedInput)
  return followDecision(changed, changed === hooked ? outcome : await decideCall(changed, canAsk))
}

async function followDecision(hooked: HookedCall, outcome: PermissionOutcome): Promise<Input> {
  if (outcome.behavior === 'allow') return hooked.input
  if (outcome.behavior === 'ask') return askAboutCall(hooked, outcome)
  return refuseCall(hooked, refusalCode(outcome), outcome.message)
}
