import { ToolCallError } from '../contract/errors.js'
import type { ToolResultBlock } from '../contract/messages.js'
import type { CanUseTool, Tool, ToolContext, ToolResult } from '../contract/tool.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { createCallContext } from './call-context.js'
import type { CallControl } from './call-control.js'
import {
  type AllowedCall,
  enter,
  type HookedCall,
  type Input,
  type ParsedCall,
  type RequestedCall,
  type ValidatedCall,
} from './call-states.js'
import type { ExecutionHost } from './execution-host.js'
import { findTool } from './find-tool.js'
import { parseInput } from './parse-input.js'
import { requirePermission } from './require-permission.js'
import { runFailureHooks, runPostHooks } from './run-post-hooks.js'
import { runPreHooks } from './run-pre-hooks.js'
import { runTool } from './run-tool.js'
import { saveCheckpoint } from './save-checkpoint.js'
import { errorResult, serialiseResult, withNotes } from './serialise-result.js'
import { timed } from './timed.js'
import { validateInput } from './validate-input.js'

/** What a call came to: its one block, and what later calls and the conversation take from it. */
export interface CallOutcome {
  readonly block: ToolResultBlock
  readonly tool?: Tool
  readonly error?: ToolCallError
  readonly newMessages?: ToolResult<unknown>['newMessages']
  readonly contextModifier?: ToolResult<unknown>['contextModifier']
}

/** What the conversation around a call lends it. */
export interface CallSurroundings {
  readonly host: ExecutionHost
  readonly control: CallControl
  readonly cwd: string
  readonly messages: ToolContext['messages']
  /** Waits until it is this call's turn to ask. */
  readonly inTurn: <T>(ask: () => Promise<T>) => Promise<T>
  /** Told when the call will not ask any more; resolves when it may go on. */
  readonly onDecided?: () => MaybePromise<void>
  /** Told when an input was changed after the call was scheduled; resolves when it may go on. */
  readonly onInputChanged: (call: AllowedCall) => MaybePromise<void>
}

/** Steps 0 and 1, before a call is scheduled: which tool it is and what it wants. Built-in and MCP tools take the same road. */
export function prepareCall(request: RequestedCall, host: ExecutionHost): MaybePromise<ParsedCall> {
  const found = findTool(request, host.directory())
  return parseInput(found, host.isSchemaSent)
}

/** Steps 2 to 7: the rest of the life of one call, in order. Never throws: whatever happens, there is one result. */
export async function performCall(parsed: ParsedCall, around: CallSurroundings): Promise<CallOutcome> {
  const { host, control } = around
  const { tool, toolUse } = parsed
  let allowed: AllowedCall | undefined
  let context: ToolContext | undefined
  try {
    control.throwIfCancelled(tool.name)
    context = contextFor(parsed, around)
    const steps = stepsOf(parsed, around, context)
    const validated = await steps.validate(parsed)
    const hooked = await steps.preHooks(validated)
    allowed = await steps.permission(hooked)
    const held = around.onDecided?.()
    if (held instanceof Promise) await held
    if (allowed.input !== parsed.input) await around.onInputChanged(allowed)
    await steps.checkpoint(allowed)
    const result = await steps.call(allowed)
    const returned = await steps.postHooks(allowed, result)
    const block = serialiseResult(tool, returned.result.data, toolUse.id)
    return outcomeOf(tool, withNotes(block, [...allowed.notes, ...returned.feedback]), returned.result)
  } catch (error) {
    const failure = asToolCallError(tool.name, error)
    const notes =
      allowed === undefined || context === undefined ? [] : await notesOnFailure(allowed, failure, context, host)
    return { tool, error: failure, block: withNotes(errorResult(toolUse.id, failure), notes) }
  }
}

/** The outcome of a call that never came to be performed. */
export function failedOutcome(toolUseId: string, error: unknown): CallOutcome {
  const failure = asToolCallError('The call', error)
  return { error: failure, block: errorResult(toolUseId, failure) }
}

/** The steps with what each needs bound to it. */
function stepsOf(parsed: ParsedCall, around: CallSurroundings, context: ToolContext) {
  const { host, inTurn } = around
  const { timer, hooks } = host
  const { id } = parsed.toolUse
  const report = (outcome: HookOutcome) => {
    for (const each of outcome.reports) host.emit({ type: 'hook-reported', toolUseId: id, at: Date.now(), ...each })
  }
  const recheck = (call: ValidatedCall | HookedCall, input: unknown) => checkAgain(call, input, host, context)
  const onProgress = (progress: unknown) =>
    host.emit({ type: 'call-progressed', toolUseId: id, at: Date.now(), progress })
  return {
    validate: (call: ParsedCall) => timed(timer, id, 'validate', () => validateInput(call, context)),
    preHooks: (call: ValidatedCall) =>
      timed(timer, id, 'pre-hooks', () => runPreHooks(call, { hooks, context, recheck, report })),
    permission: (call: HookedCall) =>
      timed(timer, id, 'permission', () => requirePermission(call, { host, context, recheck, inTurn })),
    checkpoint: (call: AllowedCall) =>
      timed(timer, id, 'checkpoint', () => saveCheckpoint(call, host.ports.checkpoints)),
    call: (call: AllowedCall) => timed(timer, id, 'call', () => runLimited(call, context, around, onProgress)),
    postHooks: (call: AllowedCall, result: ToolResult<unknown>) =>
      timed(timer, id, 'post-hooks', () => runPostHooks(call, result, { hooks, context, report })),
  }
}

function runLimited(
  call: AllowedCall,
  context: ToolContext,
  around: CallSurroundings,
  onProgress: (progress: unknown) => void,
): Promise<ToolResult<unknown>> {
  const run = () =>
    runTool(call, context, { control: around.control, canUseTool: nestedPermission(call, around), onProgress })
  return around.host.limit === undefined ? run() : around.host.limit(call.tool, run)
}

function contextFor({ tool, toolUse }: ParsedCall, { host, control, cwd, messages }: CallSurroundings): ToolContext {
  return createCallContext(tool, toolUse.id, {
    shared: { ...host.contextOptions, cwd, messages },
    ports: host.ports,
    control,
  })
}

async function checkAgain(
  call: ValidatedCall | HookedCall,
  input: unknown,
  host: ExecutionHost,
  context: ToolContext,
): Promise<Input> {
  const { toolUse, parentMessage } = call
  const parsed = await prepareCall({ toolUse: { ...toolUse, name: call.tool.name, input }, parentMessage }, host)
  return (await validateInput(enter<ParsedCall>({ ...parsed, tool: call.tool }), context)).input
}

/** `canUseTool`: a call that a tool makes inside its own goes through steps 0 to 5 like any other. */
function nestedPermission(outer: AllowedCall, around: CallSurroundings): CanUseTool {
  return async (tool, input) => {
    const request = { toolUse: { ...outer.toolUse, name: tool.name, input }, parentMessage: outer.parentMessage }
    try {
      const parsed = await prepareCall(request, around.host)
      const steps = stepsOf(parsed, around, contextFor(parsed, around))
      const allowed = await steps.permission(await steps.preHooks(await steps.validate(parsed)))
      return { behavior: 'allow', updatedInput: allowed.input }
    } catch (error) {
      return { behavior: 'deny', message: asToolCallError(tool.name, error).message }
    }
  }
}

async function notesOnFailure(
  call: AllowedCall,
  error: ToolCallError,
  context: ToolContext,
  host: ExecutionHost,
): Promise<readonly string[]> {
  const report = (outcome: HookOutcome) => {
    for (const each of outcome.reports)
      host.emit({ type: 'hook-reported', toolUseId: call.toolUse.id, at: Date.now(), ...each })
  }
  return [...call.notes, ...(await runFailureHooks(call, error, { hooks: host.hooks, context, report }))]
}

function outcomeOf(
  tool: Tool,
  block: ToolResultBlock,
  { newMessages, contextModifier }: ToolResult<unknown>,
): CallOutcome {
  return {
    tool,
    block,
    ...(newMessages !== undefined && { newMessages }),
    ...(contextModifier !== undefined && { contextModifier }),
  }
}

function asToolCallError(subject: string, error: unknown): ToolCallError {
  if (error instanceof ToolCallError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new ToolCallError('tool_failed', `${subject} failed: ${reason}`, { cause: error })
}
