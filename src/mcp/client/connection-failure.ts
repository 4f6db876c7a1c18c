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

/** A response that rejects a request because the client sent too many. The request was not processed. */
export class TooManyRequestsError extends Error {
  override readonly name = 'TooManyRequestsError'
  readonly status = 429

  constructor(
    /** How long the server asks to wait; undefined if it does not say. */
    readonly retryAfterMs: number | undefined,
  ) {
    const wait = retryAfterMs === undefined ? '' : ` The server asks to wait ${Math.ceil(retryAfterMs / 1000)} s.`
    super(`HTTP 429: too many requests.${wait}`)
  }
}

/** Returns the error in the causes of an error that rejects a request because the client sent too many. */
export function findTooManyRequests(error: unknown): TooManyRequestsError | undefined {
  return findCause(error, (cause) => cause instanceof TooManyRequestsError) as TooManyRequestsError | undefined
}

const RESET_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'UND_ERR_SOCKET'])

/** Whether the connection to an HTTP server was reset. It is unknown whether the server processed the request. */
export function isConnectionReset(error: unknown): boolean {
  return findCause(error, ({ code, message }) => RESET_CODES.has(code) || message === 'terminated') !== undefined
}

const WRONG_TRANSPORT_STATUSES: ReadonlySet<unknown> = new Set([404, 405])

/** Returns the status with which a server rejects streamable HTTP as a whole; undefined if it does not. */
export function findTransportRejection(error: unknown): unknown {
  const rejection = findCause(error, (cause) => WRONG_TRANSPORT_STATUSES.has(getStatus(cause)))
  return rejection === undefined ? undefined : getStatus(rejection)
}

function findCause(
  error: unknown,
  matches: (cause: Readonly<Record<string, unknown>>) => boolean,
): Readonly<Record<string, unknown>> | undefined {
  for (let cause: unknown = error; isObject(cause); cause = cause.cause) if (matches(cause)) return cause
  return undefined
}

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

const MAX_BODY_CHARS = 200
/** How much of a body is searched for text. */
const MAX_READ_CHARS = 64 * 1024

/** Returns a short reason for an HTTP error: the status and the start of the body. */
function describeHttpError(error: unknown): string | undefined {
  const httpError = findCause(error, ({ data }) => isObject(data) && typeof data.status === 'number')
  const data = httpError?.data as { status: number; statusText?: unknown; text?: unknown } | undefined
  if (data === undefined) return undefined
  const status = `HTTP ${data.status} ${typeof data.statusText === 'string' ? data.statusText : ''}`.trim()
  const body = typeof data.text === 'string' ? toBodyText(data.text) : ''
  return body === '' ? status : `${status}: ${body}`
}

/** Returns the text of a body without the tags of HTML, on one line. */
function toBodyText(body: string): string {
  const start = cutText(body, MAX_READ_CHARS)
  const text = start.replace(/<(style|script)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ').replace(/<[^>]*>/g, ' ')
  const line = toPlainOutput(text).replace(/\s+/g, ' ').trim()
  return line.length > MAX_BODY_CHARS ? `${cutText(line, MAX_BODY_CHARS)}…` : line
}

/** Returns the reason for a failure as plain text of limited length. */
export function toPlainReason(error: unknown): string {
  const httpReason = describeHttpError(error)
  if (httpReason !== undefined) return httpReason
  if (findCause(error, ({ name }) => name === 'ZodError' || name === '$ZodError') !== undefined)
    return 'its response is not a JSON-RPC message'
  const reason = toPlainOutput(reasonOf(error)).trim()
  return reason.length > MAX_REASON_CHARS ? `${cutText(reason, MAX_REASON_CHARS)}…` : reason
}

/** Converts a failure of a server to an error for the model. */
export function toToolCallError(name: string, error: unknown): ToolCallError {
  if (error instanceof ToolCallError) return error
  if (isConnectionReset(error)) {
    const message = `The connection to the MCP server ${name} was reset before the server answered. It is unknown whether the call took effect.`
    return new ToolCallError('tool_failed', message, { cause: error })
  }
  const reason = toPlainReason(error)
  const message =
    reason === ''
      ? `The MCP server ${name} failed without an error message.`
      : `The MCP server ${name} answered: ${reason}`
  return new ToolCallError('tool_failed', message, { cause: error })
}
