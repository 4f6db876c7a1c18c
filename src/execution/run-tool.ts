import { ToolCallError } from '../contract/errors.js'
import type { CanUseTool, ToolContext, ToolResult } from '../contract/tool.js'
import type { CallControl } from './call-control.js'
import type { AllowedCall } from './call-states.js'

/** The longest a timer can wait; a limit beyond it is none. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Calls the tool. It ends when the tool does, at its time limit or when it is cancelled, whatever the tool makes of its signal. */
export async function runTool(
  { tool, toolUse, input, parentMessage }: AllowedCall,
  context: ToolContext,
  {
    control,
    canUseTool,
    onProgress,
  }: { control: CallControl; canUseTool: CanUseTool; onProgress: (progress: unknown) => void },
): Promise<ToolResult<unknown>> {
  control.throwIfCancelled(tool.name)
  const timer = startTimer(tool.timeoutMs?.(input), control)
  let isDone = false
  try {
    const report = (progress: unknown) => {
      // A tool that was left behind has no call any more to report on.
      if (!isDone) onProgress(progress)
    }
    const work = Promise.resolve(tool.call(input, context, canUseTool, parentMessage, report))
    const result: unknown = await control.race(tool.name, work)
    if (typeof result !== 'object' || result === null || !('data' in result)) {
      throw new ToolCallError('output_invalid', `${tool.name} ended without a result.`)
    }
    return result as ToolResult<unknown>
  } catch (error) {
    throw asFailure(tool.name, toolUse.id, error)
  } finally {
    isDone = true
    clearTimeout(timer)
  }
}

function startTimer(limitMs: number | undefined, control: CallControl): NodeJS.Timeout | undefined {
  if (limitMs === undefined || !(limitMs >= 0) || limitMs > MAX_TIMER_MS) return undefined
  return setTimeout(() => control.cancel({ type: 'timed-out', afterMs: limitMs }), limitMs)
}

function asFailure(toolName: string, toolUseId: string, error: unknown): ToolCallError {
  if (error instanceof ToolCallError) return error
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : ''
  return new ToolCallError(
    'tool_failed',
    message === '' ? `${toolName} failed without saying why (${toolUseId}).` : message,
    { cause: error },
  )
}
