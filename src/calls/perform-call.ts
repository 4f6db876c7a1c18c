import type { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { Tool, ToolResult } from '../contract/tool/tool.js'
import { andThen, type MaybePromise } from '../shared/maybe-promise.js'
import { asToolCallError } from './as-tool-call-error.js'
import type { ExecutionHost } from './call-environment.js'
import { CallScope, type CallSurroundings } from './call-scope.js'
import type { AllowedCall, FoundCall, ParsedCall, RequestedCall } from './call-states.js'
import type { CallControl } from './cancellation.js'
import { classifyCommand } from './steps/classify-command.js'
import { findTool } from './steps/find-tool.js'
import { parseInput } from './steps/parse-input.js'
import { requirePermission } from './steps/require-permission.js'
import { runFailureHooks } from './steps/run-failure-hooks.js'
import { runPostHooks } from './steps/run-post-hooks.js'
import { runPreHooks } from './steps/run-pre-hooks.js'
import { runTool } from './steps/run-tool.js'
import { saveCheckpoint } from './steps/save-checkpoint.js'
import { errorResult, serialiseResult } from './steps/serialise-result.js'
import { settleCheckpoint } from './steps/settle-checkpoint.js'
import { validateInput } from './steps/validate-input.js'
import { timed } from './timed.js'

/** What a call came to: its one block, and what later calls and the conversation take from it. */
export interface CallOutcome {
  readonly block: ToolResultBlock
  readonly tool?: Tool
  readonly error?: ToolCallError
  readonly newMessages?: ToolResult<unknown>['newMessages']
  readonly contextModifier?: ToolResult<unknown>['contextModifier']
  /** To be called once `block` has gone out as it is. */
  readonly onShown?: ToolResult<unknown>['onShown']
  /** Why the conversation is to end after this message: a hook said so, or nobody is left to decide. */
  readonly stop?: string
}

/** Steps 0 and 1, before a call is scheduled: which tool it is and what it wants. Built-in and MCP tools take the same road. */
export function prepareCall(
  request: RequestedCall,
  host: ExecutionHost,
  control?: CallControl,
): MaybePromise<ParsedCall> {
  const { id, name } = request.toolUse
  const call = { timer: host.timer, toolUseId: id, toolName: name, waitedMs: 0, hasReturned: false }
  const finding = timed(call, 'find', findOrAwait, request, host)
  const parsed = andThen(finding, (found) => timed(call, 'parse', parseInput, found, host.isSchemaSent))
  return parsed instanceof Promise && control !== undefined ? control.orCancelled(call, parsed) : parsed
}

/** A tool whose server is still on its way is waited for. */
function findOrAwait(request: RequestedCall, host: ExecutionHost): MaybePromise<FoundCall> {
  try {
    return findTool(request, host.directory())
  } catch (error) {
    const coming = host.awaitTool?.(request.toolUse.name)
    if (coming === undefined) throw error
    return coming.then(() => findTool(request, host.directory()))
  }
}

/**
 * Steps 2 to 7: the rest of the life of one call, in order. Never throws: whatever happens, there is one result.
 * A step that has its answer at hand is not waited for, which is most of what a call without hooks costs.
 */
export async function performCall(parsed: ParsedCall, around: CallSurroundings): Promise<CallOutcome> {
  const scope = new CallScope(parsed, around)
  let allowed: AllowedCall | undefined
  try {
    scope.begin()
    const validating = scope.take('validate', validateInput, parsed)
    const validated = validating instanceof Promise ? await validating : validating
    void timed(scope, 'classify', classifyCommand, validated, scope)
    const hooking = scope.take('pre-hooks', runPreHooks, validated)
    const hooked = hooking instanceof Promise ? await hooking : hooking
    const judging = scope.take('permission', requirePermission, hooked)
    allowed = judging instanceof Promise ? await judging : judging
    const held = around.onDecided?.()
    if (held instanceof Promise) await scope.untilCancelled(held)
    if (allowed.input !== parsed.input) await scope.untilCancelled(around.onInputChanged(allowed))
    const saving = scope.take('checkpoint', saveCheckpoint, allowed)
    const saved = saving instanceof Promise ? await saving : saving
    const returned = await timed(scope, 'call', runTool, saved, scope)
    const reviewing = scope.take('post-hooks', runPostHooks, returned)
    const reviewed = reviewing instanceof Promise ? await reviewing : reviewing
    const block = timed(scope, 'serialise', serialiseResult, reviewed, scope)
    if (scope.hasCheckpoint) await settleCheckpoint(scope)
    return outcomeOf(block, scope, reviewed.result)
  } catch (error) {
    return failureOf(error, scope, allowed)
  }
}

/** The outcome of a call that never came to be performed. */
export function failedOutcome(toolUseId: string, error: unknown): CallOutcome {
  const failure = asToolCallError('The call', error)
  return { error: failure, block: errorResult(toolUseId, failure, []) }
}

function outcomeOf(block: ToolResultBlock, { tool, stop }: CallScope, result: ToolResult<unknown>): CallOutcome {
  const { newMessages, contextModifier, onShown } = result
  const isPlain = newMessages === undefined && contextModifier === undefined && onShown === undefined
  if (isPlain && stop === undefined) return { block, tool }
  return {
    ...{ block, tool },
    ...(Array.isArray(newMessages) && { newMessages }),
    ...(typeof contextModifier === 'function' && { contextModifier }),
    ...(typeof onShown === 'function' && { onShown }),
    ...(stop !== undefined && { stop }),
  }
}

async function failureOf(error: unknown, scope: CallScope, allowed: AllowedCall | undefined): Promise<CallOutcome> {
  const { tool, toolUseId } = scope
  const failure = asToolCallError(tool.name, error)
  if (allowed !== undefined && !scope.hasReturned) {
    try {
      await timed(
        scope,
        'failure-hooks',
        (call: AllowedCall, told) => runFailureHooks(call, scope, told),
        allowed,
        failure,
      )
    } catch {
      // The call has failed already; what its hooks would have said of it is lost.
    }
  }
  if (scope.hasCheckpoint) await settleCheckpoint(scope)
  const block = errorResult(toolUseId, failure, scope.notes)
  return { tool, error: failure, block, ...(scope.stop !== undefined && { stop: scope.stop }) }
}
