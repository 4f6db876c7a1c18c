import { ToolCallError } from '../../contract/errors.js'
import type { WorkEnd } from '../../contract/ports/tasks.js'
import type { ToolResult } from '../../contract/tool/tool.js'
import { reasonOf } from '../../shared/reason-of.js'
import { isToolCallError } from '../as-tool-call-error.js'
import type { CallScope } from '../call-scope.js'
import { enter, type ReturnedCall, type SavedCall } from '../call-states.js'
import type { Ending } from '../cancellation.js'
import { copyPlain } from '../copy-plain.js'
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

function callTool(call: SavedCall, scope: CallScope): Promise<ReturnedCall> {
  const running = new RunningTool(call, scope)
  try {
    scope.control.throwIfCancelled(call.tool.name)
    scope.timeLimit = startLimit(call.tool.timeoutMs?.(call.input), scope)
    return scope.control.withGrace(running.begin(), running)
  } catch (error) {
    return Promise.reject(running.failed(error))
  }
}

/** A tool at work. A class, and no further promise, because most of what a call costs is waiting for what is there already. */
class RunningTool implements Ending<unknown, ReturnedCall> {
  readonly #call: SavedCall
  readonly #scope: CallScope
  #answer: Promise<unknown> | undefined

  constructor(call: SavedCall, scope: CallScope) {
    this.#call = call
    this.#scope = scope
  }

  get toolName(): string {
    return this.#call.tool.name
  }

  begin(): Promise<unknown> {
    const { tool, toolUse, parentMessage, input } = this.#call
    const scope = this.#scope
    const onProgress = (progress: unknown) => {
      // A tool that was left behind has no call any more to report on.
      if (!scope.isOver) scope.host.emit({ type: 'call-progressed', toolUseId: toolUse.id, at: Date.now(), progress })
    }
    // A copy: a tool may make of its arguments what it likes.
    const args = copyPlain(input)
    const answer = tool.call(args, scope.context, nestedPermission(this.#call, scope), parentMessage, onProgress)
    this.#answer = answer instanceof Promise ? answer : Promise.resolve(answer)
    return this.#answer
  }

  returned(result: unknown): ReturnedCall {
    const { tool, toolUse, parentMessage, input } = this.#call
    if (!isResult(result)) throw new ToolCallError('output_invalid', `${tool.name} ended without a result.`)
    this.#scope.hasReturned = true
    this.#scope.goesOn = result.goesOn
    this.#end()
    return enter<ReturnedCall>({ tool, toolUse, parentMessage, input, result })
  }

  failed(error: unknown): ToolCallError {
    this.#end()
    return asFailure(this.toolName, error)
  }

  left(error: unknown): ToolCallError {
    this.#scope.goesOn = endOf(this.#answer)
    return this.failed(error)
  }

  #end(): void {
    this.#scope.isOver = true
    this.#scope.timeLimit?.end()
  }
}

/** When a tool that was left behind has ended, and what it left going in its turn. */
async function endOf(answer: Promise<unknown> | undefined): Promise<WorkEnd> {
  try {
    const result = await answer
    return isResult(result) && result.goesOn !== undefined ? await result.goesOn : {}
  } catch {
    // It has failed, and ended by that.
    return {}
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
