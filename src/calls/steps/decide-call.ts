import { ToolCallError, type ToolCallErrorCode } from '../../contract/errors.js'
import type { DecisionReason, PermissionBehavior } from '../../contract/permission/result.js'
import { decidePermission } from '../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { DecisionRequest } from '../../permissions/decide/decision-request.js'
import type { Place } from '../../permissions/paths/place.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import type { Call } from '../call.js'
import { completeAnalysis } from './analyse-command.js'
import { hookOptions, hooksFor } from './hooks-of-call.js'
import type { HookedCall } from './run-pre-hooks.js'

/** Decides on a call by the rules and mode that apply now. An `ask` is not reported: it has no answer yet. */
export function decideCall(hooked: HookedCall, canAsk: boolean): MaybePromise<PermissionOutcome> {
  const { call } = hooked
  return andThen(completeAnalysis(hooked), (command) => {
    call.command = command
    const decided = decidePermission(decisionRequest(hooked, canAsk), call.environment.decisionPorts)
    return andThen(decided, (outcome) => recordDecision(call, outcome))
  })
}

function recordDecision(call: Call, outcome: PermissionOutcome): PermissionOutcome {
  // In plan mode, a rule allows nothing but reading.
  call.isAllowedByRule =
    outcome.behavior === 'allow' && outcome.reason.type === 'rule' && call.judgedBy?.mode !== 'plan'
  if (outcome.stopsRun === true) call.run.stop({ by: 'permissions', reason: outcome.message })
  if (outcome.behavior !== 'ask') reportDecision(call, outcome.behavior, outcome.reason)
  return outcome
}

function decisionRequest({ call, tool, input, opinion }: HookedCall, canAsk: boolean): DecisionRequest {
  const { environment, context, cwd } = call
  const permissions = environment.permissions()
  call.judgedBy = permissions
  return {
    tool,
    input: call.observe(input),
    command: call.command,
    permissions,
    toolContext: context,
    place: placeAt(environment.place, cwd),
    canAsk,
    ...(opinion !== undefined && { hook: opinion }),
    ...(permissions.mode === 'auto' || opinion !== undefined ? environment.autoMode?.() : undefined),
  }
}

const places = new WeakMap<Omit<Place, 'cwd'>, Place>()

/** Permission caches are keyed by the place object, so calls in the same folder share one. */
function placeAt(place: Omit<Place, 'cwd'>, cwd: string): Place {
  const known = places.get(place)
  if (known?.cwd === cwd) return known
  const created = { ...place, cwd }
  places.set(place, created)
  return created
}

/** Emits a decision, with the time that the user took to answer. */
export function reportDecision(
  call: Call,
  behavior: PermissionBehavior,
  reason: DecisionReason,
  waitedMs?: number,
): void {
  const event = { type: 'permission-decided', toolUseId: call.toolUse.id, at: Date.now(), behavior, reason } as const
  call.emit(waitedMs === undefined ? event : { ...event, waitedMs })
}

/** Ends a call that may not run: runs its PermissionDenied hooks, then throws the error for the model. */
export async function refuseCall(hooked: HookedCall, code: ToolCallErrorCode, reason: string): Promise<never> {
  const hooks = hooksFor('PermissionDenied', hooked)
  if (hooks !== undefined) {
    const { call, tool, input } = hooked
    const observed = call.observe(input)
    const fields = { tool_name: tool.name, tool_input: observed, tool_use_id: call.toolUse.id, reason }
    call.receiveHookOutcome(await hooks.run('PermissionDenied', fields, hookOptions(hooked, observed)))
  }
  throw new ToolCallError(code, reason)
}

export function refusalCode({ needsUser, reason }: PermissionOutcome): ToolCallErrorCode {
  if (needsUser === true) return 'permission_needed'
  return reason.type === 'hook' ? 'hook_blocked' : 'permission_denied'
}
