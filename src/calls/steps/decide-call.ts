import type { PermissionDecided } from '../../contract/events.js'
import type { DecisionReason, PermissionBehavior } from '../../contract/permission/result.js'
import { decidePermission } from '../../permissions/decide/decide-permission.js'
import type { PermissionOutcome } from '../../permissions/decide/decision.js'
import type { DecisionRequest } from '../../permissions/decide/decision-request.js'
import type { PathContext } from '../../permissions/paths/normalise-path.js'
import { andThen, type MaybePromise } from '../../shared/maybe-promise.js'
import type { Call } from '../call.js'
import { completeAnalysis } from './analyse-command.js'
import type { ValidatedCall } from './parse-input.js'
import { type HookedCall, hooksFor } from './run-pre-hooks.js'

/** Decides on a call by the rules and mode that apply now. An `ask` is not reported: it has no answer yet. */
export function decideCall(hookedCall: HookedCall, canAsk: boolean): MaybePromise<PermissionOutcome> {
  const { call } = hookedCall
  return andThen(completeAnalysis(hookedCall), (command) => {
    call.command = command
    const decision = decidePermission(createDecisionRequest(hookedCall, canAsk), call.environment.decisionPorts)
    return andThen(decision, (outcome) => recordDecision(call, outcome))
  })
}

/**
 * Starts the classifier of auto mode while the PreToolUse hooks run, if the call would be decided by it. Whether its answer
 * counts is decided after the hooks.
 */
export function startClassifier(validatedCall: ValidatedCall): void {
  const { call, tool, input } = validatedCall
  if (call.environment.permissions().mode !== 'auto' || hooksFor('PreToolUse', validatedCall) === undefined) return
  const decide = async () => {
    const command = await completeAnalysis(validatedCall)
    const request = createDecisionRequest({ call, tool, input } as HookedCall, true)
    await decidePermission({ ...request, command }, call.environment.decisionPorts)
  }
  // The decision after the hooks reports failures.
  decide().catch(() => {})
}

/** Keeps what the call may touch, and reports the decision. */
export function recordDecision(call: Call, outcome: PermissionOutcome): PermissionOutcome {
  call.judgedPaths = outcome.judgedPaths
  call.judgedUrl = outcome.judgedUrl
  // In plan mode, an allow rule covers only reading, so it must not turn off the read-only sandbox.
  call.isAllowedByRule =
    outcome.behavior === 'allow' && outcome.reason.type === 'rule' && call.decidedPermissions?.mode !== 'plan'
  if (outcome.stopsRun === true) call.run.stop({ by: 'permissions', reason: outcome.message })
  if (outcome.behavior !== 'ask') reportDecision(call, outcome.behavior, outcome.reason, { trace: outcome.trace })
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
    ...(permissions.mode === 'auto' && { classification: call.classification }),
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

/** Emits a decision, with the time that the user took to answer, or the stages that led to it. */
export function reportDecision(
  call: Call,
  behavior: PermissionBehavior,
  reason: DecisionReason,
  details: Pick<PermissionDecided, 'waitedMs' | 'trace'> = {},
): void {
  const toolUseId = call.toolUse.id
  call.emit({ type: 'permission-decided', toolUseId, at: Date.now(), behavior, reason, ...details })
}
