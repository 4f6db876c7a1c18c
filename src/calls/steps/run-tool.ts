import { ToolCallError } from '../../contract/errors.js'
import type { WorkEnd } from '../../contract/ports/tasks.js'
import type { CanUseTool, ToolResult } from '../../contract/tool/tool.js'
import { isCallReadOnly } from '../../contract/tool/traits.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isToolCallError } from '../as-tool-call-error.js'
import type { Call, KnownCall } from '../call.js'
import { isTimeLimit, type SettledValue, TimeLimit, type WorkResult } from '../cancellation.js'
import { copyPlain } from '../copy-plain.js'
import type { SavedCall } from './checkpoint.js'
import { hooksFor } from './run-pre-hooks.js'

declare const returnedBrand: unique symbol

/** A call whose tool has returned. */
export interface ReturnedCall extends KnownCall {
  readonly [returnedBrand]: true
  readonly result: ToolResult<unknown>
}

/**
 * Runs the tool within the limit for its resource. Ends when the tool returns, at its time limit, or when the call is
 * cancelled, even if the tool ignores its signal.
 */
export function runTool(savedCall: SavedCall, canUseTool: CanUseTool): Promise<ReturnedCall> {
  const { call, tool } = savedCall
  const { environment } = call
  if (environment.limit === undefined) return callTool(savedCall, canUseTool)
  let hasStarted = false
  const resultPromise = environment.limit(tool, () => {
    hasStarted = true
    return callTool(savedCall, canUseTool)
  })
  return hasStarted ? resultPromise : waitForSlot(resultPromise, () => hasStarted, call)
}

/**
 * Waits for the result of a call. A call that is cancelled while it waits for a slot ends at once; its slot is then passed to
 * the next call.
 */
async function waitForSlot<T>(resultPromise: Promise<T>, hasStarted: () => boolean, call: Call): Promise<T> {
  try {
    return await call.cancellation.raceWithCancellation(resultPromise, call)
  } catch (error) {
    if (hasStarted()) return resultPromise
    throw error
  }
}

async function callTool(savedCall: SavedCall, canUseTool: CanUseTool): Promise<ReturnedCall> {
  const { call, tool } = savedCall
  try {
    if (call.onToolStart !== undefined) await announceStart(savedCall)
    const { value } = await waitForTool(savedCall, startTool(savedCall, canUseTool))
    return toReturnedCall(savedCall, value)
  } catch (error) {
    throw toFailure(tool.name, error)
  } finally {
    call.isOver = true
    call.timeLimit?.end()
  }
}

/** Tells the tool that made this call that it is about to have effects. */
async function announceStart({ call, tool, input }: SavedCall): Promise<void> {
  call.throwIfCancelled()
  await call.onToolStart?.({ isReadOnly: isCallReadOnly(tool, input, call.command) })
}

function startTool({ call, tool, input }: SavedCall, canUseTool: CanUseTool): Promise<unknown> {
  call.throwIfCancelled()
  call.timeLimit = startTimeLimit(tool.timeoutMs?.(input), call)
  const onProgress = (progress: unknown) => {
    // An abandoned tool no longer has a call to report on.
    if (!call.isOver) call.emit({ type: 'call-progressed', toolUseId: call.toolUse.id, at: Date.now(), progress })
  }
  // The tool gets a copy of the input, because it may modify its arguments.
  return Promise.resolve(tool.call(copyPlain(input), call.context, canUseTool, call.parentMessage, onProgress))
}

function waitForTool(savedCall: SavedCall, answer: Promise<unknown>): Promise<SettledValue<unknown>> {
  const { call, tool } = savedCall
  const onAbandoned = () => {
    call.backgroundWork = waitForAbandonedTool(answer)
  }
  return call.cancellation.waitWithGrace(answer, tool.name, onAbandoned, (end) => readOutput(savedCall, end))
}

/**
 * Returns what the tool of a cancelled call had found or printed; undefined if there is nothing. Withheld if a PostToolUse hook
 * checks the output of the tool, because the hook could replace it and will not run.
 */
function readOutput({ call, tool }: SavedCall, end: WorkResult<unknown>): string | undefined {
  if (hooksFor('PostToolUse', { call, tool }) !== undefined) return undefined
  if ('error' in end) return isToolCallError(end.error) ? end.error.outputSoFar?.trim() || undefined : undefined
  if (!isResult(end.value)) return undefined
  try {
    const { content } = tool.mapToolResultToToolResultBlockParam(end.value.data, call.toolUse.id)
    const parts =
      typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : ''))
    return parts.join('\n').trim() || undefined
  } catch {
    // The call was cancelled; a result that cannot be serialised adds nothing to that.
    return undefined
  }
}

function toReturnedCall({ call, tool, input }: SavedCall, result: unknown): ReturnedCall {
  if (!isResult(result)) throw new ToolCallError('output_invalid', `${tool.name} ended without a result.`)
  call.hasReturned = true
  call.backgroundWork = result.backgroundWork
  return { call, tool, input, result: maskResult(result, call) } as ReturnedCall
}

/**
 * Masks the secrets in a result. Hooks and the clients of `haft mcp serve` get the data itself, so it is masked before the
 * block is created.
 */
function maskResult(result: ToolResult<unknown>, { environment: { secrets } }: Call): ToolResult<unknown> {
  return secrets === undefined ? result : { ...result, data: secrets.maskData(result.data) }
}

/** Resolves when an abandoned tool has ended, including work that it left in the background. */
async function waitForAbandonedTool(answer: Promise<unknown>): Promise<WorkEnd> {
  try {
    const result = await answer
    return isResult(result) && result.backgroundWork !== undefined ? await result.backgroundWork : {}
  } catch {
    // A failed tool has ended too.
    return {}
  }
}

function startTimeLimit(limitMs: number | undefined, { cancellation }: Call): TimeLimit | undefined {
  if (!isTimeLimit(limitMs)) return undefined
  return new TimeLimit(limitMs, () => cancellation.cancel({ type: 'timed-out', afterMs: limitMs }))
}

function isResult(result: unknown): result is ToolResult<unknown> {
  return typeof result === 'object' && result !== null && 'data' in result
}

/** Converts the error of a tool. Its message is kept, because the model reads it. */
function toFailure(toolName: string, error: unknown): ToolCallError {
  if (isToolCallError(error)) return error
  const reason = reasonOf(error)
  const message = reason.trim() === '' ? `${toolName} failed without an error message.` : reason
  return new ToolCallError('tool_failed', message, { cause: error })
}
