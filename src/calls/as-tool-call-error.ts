import { ToolCallError } from '../contract/errors.js'
import { reasonOf } from '../shared/reason-of.js'

/** Any thrown value as a failure that the model is told about. */
export function asToolCallError(subject: string, thrown: unknown): ToolCallError {
  if (isToolCallError(thrown)) return thrown
  const reason = reasonOf(thrown)
  const message = reason === '' ? `${subject} failed without saying why.` : `${subject} failed: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: thrown })
}

export function isToolCallError(thrown: unknown): thrown is ToolCallError {
  try {
    return thrown instanceof ToolCallError
  } catch {
    // A proxy may refuse the question.
    return false
  }
}
