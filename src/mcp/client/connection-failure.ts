import { ToolCallError } from '../../contract/errors.js'
import { isObject } from '../../shared/is-record.js'
import { plainOutput } from '../../shared/plain-output.js'
import { reasonOf } from '../../shared/reason-of.js'

const MAX_REASON_CHARS = 4_000
const NOT_FOUND = 404
const UNAUTHORIZED = 401
/** What the header says and what the body says do not agree: the definition that is known here is an old one. */
const HEADER_MISMATCH = -32_020

/** The server has forgotten the session, so that the request was not carried out. */
export function isSessionLost(error: unknown): boolean {
  return statusOf(error) === NOT_FOUND
}

export function isHeaderMismatch(error: unknown): boolean {
  return isObject(error) && error.name === 'ProtocolError' && error.code === HEADER_MISMATCH
}

export function needsAuthorization(error: unknown): boolean {
  return isObject(error) && (error.name === 'UnauthorizedError' || statusOf(error) === UNAUTHORIZED)
}

/** Nobody was reached: a session that hangs on one stream is over then, whether it notices or not. */
export function isUnreachable(error: unknown): boolean {
  return isObject(error) && error.name === 'TypeError' && reasonOf(error).includes('fetch failed')
}

/** The connection is gone and with it whatever was asked over it. */
export function isClosed(error: unknown): boolean {
  return isObject(error) && (error.code === 'CONNECTION_CLOSED' || error.code === 'NOT_CONNECTED')
}

function statusOf(error: unknown): unknown {
  if (!isObject(error)) return undefined
  return error.status ?? (isObject(error.data) ? error.data.status : undefined)
}

/** What a server or the way to it gives as a reason, as plain text of bearable length. */
export function plainReason(error: unknown): string {
  const reason = plainOutput(reasonOf(error)).trim()
  return reason.length > MAX_REASON_CHARS ? `${reason.slice(0, MAX_REASON_CHARS)}…` : reason
}

/** A failure of the server `name` in words for the model. */
export function serverFailure(name: string, error: unknown): ToolCallError {
  if (error instanceof ToolCallError) return error
  const reason = plainReason(error)
  const message =
    reason === '' ? `The MCP server ${name} failed without saying why.` : `The MCP server ${name} answered: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: error })
}
