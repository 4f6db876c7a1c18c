import type { DecisionReason, PermissionBehavior } from '../../contract/permission/result.js'
import { decidePermission } from '../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { DecisionPorts, DecisionRequest } from '../../permissions/decide/decision-request.js'
import type { Place } from '../../permissions/paths/place.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import type { CallScope } from '../call-scope.js'
import type { HookedCall } from '../call-states.js'

/** Lets the permission system decide on a call as it now stands. Only a question is left without an event: it has no answer yet. */
export function decideCall(call: HookedCall, scope: CallScope, canAsk: boolean): MaybePromise<PermissionOutcome> {
  const decided = decidePermission(requestOf(call, scope, canAsk), portsOf(scope))
  return decided instanceof Promise ? decided.then((outcome) => record(outcome, scope)) : record(decided, scope)
}

function requestOf({ tool, input, opinion }: HookedCall, scope: CallScope, canAsk: boolean): DecisionRequest {
  const { host, around, context } = scope
  const permissions = host.permissions()
  scope.judgedBy = permissions
  const request: DecisionRequest = {
    tool,
    input: scope.observe(input),
    permissions,
    toolContext: context,
    place: placeAt(host.place, around.cwd),
    canAsk,
  }
  if (opinion === undefined && permissions.mode !== 'auto') return request
  return { ...request, ...(opinion !== undefined && { hook: opinion }), ...host.autoMode?.() }
}

function portsOf({ host, shell }: CallScope): DecisionPorts {
  return shell === undefined ? host.decisionPorts : { ...host.decisionPorts, shell }
}

const places = new WeakMap<Omit<Place, 'cwd'>, Place>()

/** Calls rarely move, so that the last place is kept. */
function placeAt(place: Omit<Place, 'cwd'>, cwd: string): Place {
  const known = places.get(place)
  if (known?.cwd === cwd) return known
  const made = { ...place, cwd }
  places.set(place, made)
  return made
}

function record(outcome: PermissionOutcome, scope: CallScope): PermissionOutcome {
  const { host, toolUseId } = scope
  // In plan mode a rule lets nothing through that does more than read.
  const isByRule = outcome.behavior === 'allow' && outcome.reason.type === 'rule' && scope.judgedBy?.mode !== 'plan'
  scope.isAllowedByRule = isByRule
  host.onDecision?.(toolUseId, outcome)
  if (outcome.behavior !== 'ask') reportDecision(scope, outcome.behavior, outcome.reason)
  if (outcome.stopsRun === true) scope.stop ??= outcome.message
  return outcome
}

/** Tells of a decision, and apart from it how long a person took. */
export function reportDecision(
  { host, toolUseId }: CallScope,
  behavior: PermissionBehavior,
  reason: DecisionReason,
  waitedMs?: number,
): void {
  const event = { type: 'permission-decided', toolUseId, at: Date.now(), behavior, reason } as const
  host.emit(waitedMs === undefined ? event : { ...event, waitedMs })
}
