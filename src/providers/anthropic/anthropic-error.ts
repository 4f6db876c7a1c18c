import { ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'
import { cutText } from '../../shared/cut-text.js'
import { isObject } from '../../shared/is-record.js'
import { readRetryAfterMs } from '../http/retry-after-ms.js'

/** Error types of the API. They also occur in the middle of a stream, where there is no HTTP status. */
const KIND_BY_TYPE: Readonly<Record<string, ModelErrorKind>> = {
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  api_error: 'server_error',
  timeout_error: 'server_error',
  authentication_error: 'unauthorised',
  permission_error: 'unauthorised',
  billing_error: 'unauthorised',
  not_found_error: 'unknown_model',
  request_too_large: 'too_long',
}

const KIND_BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: 'unauthorised',
  402: 'unauthorised',
  403: 'unauthorised',
  404: 'unknown_model',
  408: 'timed_out',
  413: 'too_long',
  429: 'rate_limited',
  529: 'overloaded',
}

const TOO_LONG_PATTERN =
  /prompt is too long|exceeds? (the )?(model'?s )?(maximum )?context|input length and `?max_tokens`? exceed/i

const MAX_MESSAGE_CHARS = 1000

/** Converts an error of the SDK or the connection to the `ModelError` that the session loop acts on. */
export function toModelError(error: unknown, { signal, secrets }: ErrorContext): ModelError {
  if (signal.aborted) return new ModelError('aborted', 'The request was aborted.')
  if (error instanceof ModelError) return error
  const problem: Problem = isObject(error) ? (error as Problem) : {}
  const status = typeof problem.status === 'number' ? problem.status : undefined
  const kind = classifyError(error, problem, status)
  const message = `${createPrefix(kind, status)}${toOneLine(removeSecrets(getMessage(error, problem), secrets))}`
  // The cause is dropped, because it may contain the request.
  return new ModelError(kind, cutText(message, MAX_MESSAGE_CHARS), {
    status,
    retryAfterMs: readRetryAfterMs(problem.headers),
  })
}

interface ErrorContext {
  readonly signal: AbortSignal
  /** Values that must never appear in a message. */
  readonly secrets: readonly string[]
}

/** The fields of the SDK's errors. They are recognised by shape, so that this file does not load the SDK. */
interface Problem {
  readonly status?: unknown
  readonly type?: unknown
  readonly apiMessage?: unknown
  readonly headers?: { get(name: string): string | null }
  readonly name?: unknown
  readonly cause?: unknown
}

function classifyError(
  error: unknown,
  { type, name, apiMessage }: Problem,
  status: number | undefined,
): ModelErrorKind {
  if (name === 'IdleError' || name === 'APIConnectionTimeoutError') return 'timed_out'
  if (name === 'APIConnectionError') return 'network'
  if (typeof apiMessage === 'string' && TOO_LONG_PATTERN.test(apiMessage)) return 'too_long'
  if (status !== undefined)
    return KIND_BY_STATUS[status] ?? findKindByType(type) ?? (status >= 500 ? 'server_error' : 'invalid_request')
  if (typeof type === 'string')
    return findKindByType(type) ?? (type === 'invalid_request_error' ? 'invalid_request' : 'server_error')
  // The connection broke, or the response was not an event stream.
  if (error instanceof SyntaxError || isConnectionError(error)) return 'stream_cut'
  return 'invalid_request'
}

function findKindByType(type: unknown): ModelErrorKind | undefined {
  return typeof type === 'string' && Object.hasOwn(KIND_BY_TYPE, type) ? KIND_BY_TYPE[type] : undefined
}

function isConnectionError(error: unknown): boolean {
  return isObject(error) && typeof error.code === 'string'
}

function createPrefix(kind: ModelErrorKind, status: number | undefined): string {
  const code = status === undefined ? '' : ` (${status})`
  switch (kind) {
    case 'rate_limited':
      return `Rate limited by the provider${code}: `
    case 'overloaded':
      return `The provider is overloaded${code}: `
    case 'server_error':
      return `The provider failed${code}: `
    case 'network':
      return 'The provider cannot be reached: '
    case 'stream_cut':
      return 'The answer was cut off: '
    case 'timed_out':
      return `The provider did not answer in time${code}: `
    case 'unauthorised':
      return `The provider rejected the API key${code}: `
    case 'unknown_model':
      return `The provider has no such model${code}: `
    case 'too_long':
      return `The conversation is too long for the model${code}: `
    default:
      return `The provider refused the request${code}: `
  }
}

function getMessage(error: unknown, { status, apiMessage, cause }: Problem): string {
  if (typeof status === 'number' && status >= 300 && status < 400)
    return 'it answered with a redirect, and redirects are not followed.'
  if (typeof apiMessage === 'string' && apiMessage !== '') return apiMessage
  // The SDK's message is only 'Connection error.', so the reason is read from the cause.
  const reason = cause instanceof Error ? findRootCause(cause) : error
  return reason instanceof Error ? reason.message || reason.name : String(reason)
}

function findRootCause(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0]
  return error.cause instanceof Error ? findRootCause(error.cause) : error
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function removeSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((cleanText, secret) => cleanText.replaceAll(secret, '***'), text)
}
