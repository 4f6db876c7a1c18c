import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { Input, KnownCall } from '../call.js'
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
  const input = await (changesInput(hooked, outcome)
    ? approvedChange(hooked, outcome, canAsk)
    : approvedInput(hooked, outcome))
  const allowedCall = { call, tool, input } as AllowedCall
  call.allowed = allowedCall
  return allowedCall
}

function changesInput({ call, input }: HookedCall, { behavior, updatedInput }: PermissionOutcome): boolean {
  return behavior !== 'deny' && updatedInput !== undefined && updatedInput !== call.observe(input)
}

/** An input that the tool's own permission check changed is judged once more: the input that is judged is the one used. */
async function approvedChange(hooked: HookedCall, outcome: PermissionOutcome, canAsk: boolean): Promise<Input> {
  const changed = await recheckInput(hooked, outcome.updatedInput)
  return approvedInput(changed, changed === hooked ? outcome : await decideCall(changed, canAsk))
}

/** The input if the decision allows it, or what the user approves. Throws the refusal otherwise. */
function approvedInput(hooked: HookedCall, outcome: PermissionOutcome): MaybePromise<Input> {
  if (outcome.behavior === 'allow') return hooked.input
  if (outcome.behavior === 'ask') return askAboutCall(hooked, outcome)
  return refuseCall(hooked, refusalCode(outcome), outcome.message)
}
