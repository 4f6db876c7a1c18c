import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { askAboutCall } from '../asking/ask-about-call.js'
import type { CallScope } from '../call-scope.js'
import { type AllowedCall, enter, type HookedCall } from '../call-states.js'
import { decideCall } from './decide-call.js'
import { hooksFor } from './hooks-for.js'
import { recheckInput } from './recheck-input.js'
import { refusalCode, refuseCall } from './refuse-call.js'

/** Lets a call through that may run; any other ends here, with the reason. */
export function requirePermission(call: HookedCall, scope: CallScope): MaybePromise<AllowedCall> {
  const canAsk = scope.host.ask !== undefined || hooksFor('PermissionRequest', scope) !== undefined
  const decided = decideCall(call, scope, canAsk)
  if (decided instanceof Promise) return decided.then((outcome) => follow(call, outcome, scope, canAsk))
  return follow(call, decided, scope, canAsk)
}

function follow(
  call: HookedCall,
  outcome: PermissionOutcome,
  scope: CallScope,
  canAsk: boolean,
): MaybePromise<AllowedCall> {
  const hasChange = outcome.updatedInput !== undefined && outcome.updatedInput !== scope.observe(call.input)
  if (hasChange && outcome.behavior !== 'deny') return followChanged(call, outcome, scope, canAsk)
  return settle(call, outcome, scope)
}

function settle(call: HookedCall, outcome: PermissionOutcome, scope: CallScope): MaybePromise<AllowedCall> {
  if (outcome.behavior === 'allow') return enter<AllowedCall>(call)
  if (outcome.behavior === 'ask') return askAboutCall(call, outcome, scope)
  return refuseCall(call, scope, refusalCode(outcome), outcome.message)
}

/** What the tool's own check makes of the input is judged like any other input, once: what is judged is what is used. */
async function followChanged(
  call: HookedCall,
  outcome: PermissionOutcome,
  scope: CallScope,
  canAsk: boolean,
): Promise<AllowedCall> {
  const input = await recheckInput(call, outcome.updatedInput, scope)
  if (input === call.input) return settle(call, outcome, scope)
  const changed = enter<HookedCall>({ ...call, input })
  return settle(changed, await decideCall(changed, scope, canAsk), scope)
}
