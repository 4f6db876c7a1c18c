import { ToolCallError } from '../contract/errors.js'

/** What a thrown value says, whatever was thrown; empty where it says nothing. */
export function reasonOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (thrown === undefined || thrown === null) return ''
    if (typeof thrown !== 'object') return String(thrown)
    const { message } = thrown as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    // A value that cannot even be looked at says nothing.
    return ''
  }
}

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
