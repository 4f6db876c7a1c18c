import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'

/** Why a program could not be started, in words for the model. */
export function startFailure(program: string, error: unknown): ToolCallError {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
    const message = `${program} is not installed, or not in a folder of PATH.`
    return new ToolCallError('unavailable', message, { cause: error })
  }
  return new ToolCallError('tool_failed', `${program} could not be started: ${reasonOf(error)}`, { cause: error })
}
