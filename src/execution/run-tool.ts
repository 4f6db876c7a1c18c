import { ToolCallError } from '../contract/errors.js'
import type { ToolResult } from '../contract/tool.js'
import { reasonOf } from '../shared/reason-of.js'
import { isToolCallError } from './as-tool-call-error.js'
import type { CallScope } from './call-scope.js'
import { enter, type ReturnedCall, type SavedCall } from './call-states.js'
import { copyPlain } from './copy-plain.js'
import { nestedPermission } from './nested-permission.js'
import { isTimeLimit, TimeLimit } from './time-limit.js'

/** Calls the tool once there is a place for it. It ends when the tool does, at its time limit or when it is cancelled, whatever the tool makes of its signal. */
export function runTool(call: SavedCall, scope: CallScope): Promise<ReturnedCall> {
  const { limit } = scope.host
  if (limit === undefined) return callTool(call, scope)
  let hasBegun = false
  const running = limit(call.tool, () => {
    hasBegun = true
    return callTool(call, scope)
  })
  return hasBegun ? running : whenBegun(running, () => hasBegun, scope)
}

/** A call that still waits for its place when it is cancelled leaves at once; its turn then passes unused. */
function whenBegun<T>(running: Promise<T>, hasBegun: () => boolean, scope: CallScope): Promise<T> {
  const waiting = scope.control.orCancelled(scope, running)
  return waiting.catch((error) => {
    if (hasBegun()) return running
    throw error
  })
}

async function callTool(call: SavedCall, scope: CallScope): Promise<ReturnedCall> {
  const { tool, toolUse, parentMessage, input } = call
  const { control, host, context } = scope
  control.throwIfCancelled(tool.name)
  try {
    scope.timeLimit = startLimit(tool.timeoutMs?.(input), scope)
    const onProgress = (progress: unknown) => {
      // A tool that was left behind has no call any more to report on.
      if (!scope.isOver) host.emit({ type: 'call-progressed', toolUseId: toolUse.id, at: Date.now(), progress })
    }
    const work = async () => {
      // A copy: a tool may make of its arguments what it likes.
      const args = copyPlain(input)
      const answer = tool.call(args, context, nestedPermission(call, scope), parentMessage, onProgress)
      // Boxed, so that no promise takes what the tool answers for a further promise, which might never end.
      return { result: (await answer) as unknown }
    }
    const { result } = await control.withGrace(tool.name, work())
    if (!isResult(result)) throw new ToolCallError('output_invalid', `${tool.name} ended without a result.`)
    scope.hasReturned = true
    return enter<ReturnedCall>({ tool, toolUse, parentMessage, input, result })
  } catch (error) {
    throw asFailure(tool.name, error)
  } finally {
    scope.isOver = true
    scope.timeLimit?.end()
  }
}

function startLimit(limitMs: number | undefined, { control }: CallScope): TimeLimit | undefined {
  if (!isTimeLimit(limitMs)) return undefined
  return new TimeLimit(limitMs, () => control.cancel({ type: 'timed-out', afterMs: limitMs }))
}

function isResult(result: unknown): result is ToolResult<unknown> {
  return typeof result === 'object' && result !== null && 'data' in result
}

/** The message of the tool's own error is what the model reads. */
function asFailure(toolName: string, error: unknown): ToolCallError {
  if (isToolCallError(error)) return error
  const reason = reasonOf(error)
  const message = reason.trim() === '' ? `${toolName} failed without saying why.` : reason
  return new ToolCallError('tool_failed', message, { cause: error })
}
