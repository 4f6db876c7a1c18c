import { ToolCallError } from '../../contract/errors.js'
import { cutText } from '../../shared/cut-text.js'
import { isObject } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'
import { reasonOf } from '../../shared/reason-of.js'

const MAX_REASON_CHARS = 4_000
const HTTP_NOT_FOUND = 404
const HTTP_UNAUTHORIZED = 401
const SIGN_IN_ERRORS: ReadonlySet<unknown> = new Set(['UnauthorizedError', 'InsufficientScopeError'])
/** The error code for headers and body that disagree, because the tool definition used here is outdated. */
const HEADER_MISMATCH = -32_020

/** Whether the server has dropped the session, which means that it did not process the request. */
export function isSessionLost(error: unknown): boolean {
  return getStatus(error) === HTTP_NOT_FOUND
}

export function isHeaderMismatch(error: unknown): boolean {
  return isObject(error) && error.name === 'ProtocolError' && error.code === HEADER_MISMATCH
}

/** Whether the server requires sign-in. Also checks the causes of the error. */
export function needsAuthorization(error: unknown): boolean {
  for (let cause: unknown = error; isObject(cause); cause = cause.cause) {
    if (SIGN_IN_ERRORS.has(cause.name) || getStatus(cause) === HTTP_UNAUTHORIZED) return true
  }
  return false
}

/** Whether no connection to the server was possible. Then a session that depends on one stream is lost. */
export function isUnreachable(error: unknown): boolean {
  return isObject(error) && error.name === 'TypeError' && reasonOf(error).includes('fetch failed')
}

/** Whether the connection was closed, so that all pending requests on it failed. */
export function isClosed(error: unknown): boolean {
  return isObject(error) && (error.code === 'CONNECTION_CLOSED' || error.code === 'NOT_CONNECTED')
}

function getStatus(error: unknown): unknown {
  if (!isObject(error)) return undefined
  return error.status ?? (isObject(error.data) ? error.data.status : undefined)
}

/** Returns the reason for a failure as plain text of limited length. */
export function toPlainReason(error: unknown): string {
  const reason = toPlainOutput(reasonOf(error)).trim()
  return reason.length > MAX_REASON_CHARS ? `${cutText(reason, MAX_REASON_CHARS)}…` : reason
}

/** Converts a failure of a server to an error for the model. */
export function toToolCallError(name: string, error: unknown): ToolCallError {
  if (error instanceof ToolCallError) return error
  const reason = toPlainReason(error)
  const message =
    reason === ''
      ? `The MCP server ${name} failed without an error message.`
      : `The MCP server ${name} answered: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: error })
}
