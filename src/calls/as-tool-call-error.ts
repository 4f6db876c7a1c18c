import { ToolCallError } from '../contract/errors.js'
import { reasonOf } from '../shared/reason-of.js'

/** Converts any thrown value to an error for the model. */
export function asToolCallError(subject: string, thrownValue: unknown): ToolCallError {
  if (isToolCallError(thrownValue)) return thrownValue
  const reason = reasonOf(thrownValue)
  const message = reason === '' ? `${subject} failed without an error message.` : `${subject} failed: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: thrownValue })
}

export function isToolCallError(thrownValue: unknown): thrownValue is ToolCallError {
  try {
    return thrownValue instanceof ToolCallError
  } catch {
    // `instanceof` throws for some proxies.
    return false
  }
}
