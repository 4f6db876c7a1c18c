import { ToolCallError } from '../contract/errors.js'
import { reasonOf } from '../shared/reason-of.js'

/** Converts any thrown value to an error for the model. */
export function asToolCallError(subject: string, thrown: unknown): ToolCallError {
  if (isToolCallError(thrown)) return thrown
  const reason = reasonOf(thrown)
  const message = reason === '' ? `${subject} failed without an error message.` : `${subject} failed: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: thrown })
}

export function isToolCallError(thrown: unknown): thrown is ToolCallError {
  try {
    return thrown instanceof ToolCallError
  } catch {
    // `instanceof` throws for some proxies.
    return false
  }
}
