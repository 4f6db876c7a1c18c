import { ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'
import { isObject } from '../../shared/is-record.js'
import { retryAfterMs } from '../http/retry-after-ms.js'

/** The kinds that the API itself names; these also come in the middle of a stream, where there is no status. */
const BY_TYPE: Readonly<Record<string, ModelErrorKind>> = {
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

const BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: 'unauthorised',
  402: 'unauthorised',
  403: 'unauthorised',
  404: 'unknown_model',
  408: 'timed_out',
  413: 'too_long',
  429: 'rate_limited',
  529: 'overloaded',
}

const TOO_LONG =
  /prompt is too long|exceeds? (the )?(model'?s )?(maximum )?context|input length and `?max_tokens`? exceed/i

const MAX_MESSAGE = 1000

/** What the loop decides by, out of whatever the SDK or the connection threw. */
export function toModelError(error: unknown, { signal, secrets }: ErrorContext): ModelError {
  if (signal.aborted) return new ModelError('aborted', 'The request was aborted.')
  if (error instanceof ModelError) return error
  const problem: Problem = isObject(error) ? (error as Problem) : {}
  const status = typeof problem.status === 'number' ? problem.status : undefined
  const kind = kindOf(error, problem, status)
  const message = `${prefixOf(kind, status)}${oneLine(withoutSecrets(messageOf(error, problem), secrets))}`
  // Without its cause, which may name what was sent.
  return new ModelError(kind, message.slice(0, MAX_MESSAGE), { status, retryAfterMs: retryAfterMs(problem.headers) })
}

interface ErrorContext {
  readonly signal: AbortSignal
  /** What must never be seen in a message. */
  readonly secrets: readonly string[]
}

/** What the SDK's errors carry; told by shape, as the SDK is loaded elsewhere. */
interface Problem {
  readonly status?: unknown
  readonly type?: unknown
  readonly apiMessage?: unknown
  readonly headers?: { get(name: string): string | null }
  readonly name?: unknown
  readonly cause?: unknown
}

function kindOf(error: unknown, { type, name, apiMessage }: Problem, status: number | undefined): ModelErrorKind {
  if (name === 'IdleError' || name === 'APIConnectionTimeoutError') return 'timed_out'
  if (name === 'APIConnectionError') return 'network'
  if (typeof apiMessage === 'string' && TOO_LONG.test(apiMessage)) return 'too_long'
  if (status !== undefined)
    return BY_STATUS[status] ?? byTypeOf(type) ?? (status >= 500 ? 'server_error' : 'invalid_request')
  if (typeof type === 'string')
    return byTypeOf(type) ?? (type === 'invalid_request_error' ? 'invalid_request' : 'server_error')
  // The connection broke, or what came was no stream of events.
  if (error instanceof SyntaxError || isConnectionError(error)) return 'stream_cut'
  return 'invalid_request'
}

function byTypeOf(type: unknown): ModelErrorKind | undefined {
  return typeof type === 'string' && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined
}

function isConnectionError(error: unknown): boolean {
  return isObject(error) && typeof error.code === 'string'
}

function prefixOf(kind: ModelErrorKind, status: number | undefined): string {
  const code = status === undefined ? '' : ` (${status})`
  switch (kind) {
    case 'rate_limited':
      return `The provider limits the rate of requests${code}: `
    case 'overloaded':
      return `The provider is overloaded${code}: `
    case 'server_error':
      return `The provider failed${code}: `
    case 'network':
      return 'The provider cannot be reached: '
    case 'stream_cut':
      return 'The answer stopped before its end: '
    case 'timed_out':
      return `The provider did not answer in time${code}: `
    case 'unauthorised':
      return `The provider does not accept the key${code}: `
    case 'unknown_model':
      return `The provider does not know the model${code}: `
    case 'too_long':
      return `The conversation is too long for the model${code}: `
    default:
      return `The provider refused the request${code}: `
  }
}

function messageOf(error: unknown, { status, apiMessage, cause }: Problem): string {
  if (typeof status === 'number' && status >= 300 && status < 400)
    return 'it answered with a redirect, which is not followed.'
  if (typeof apiMessage === 'string' && apiMessage !== '') return apiMessage
  // The SDK says 'Connection error.'; why is in the cause.
  const reason = cause instanceof Error ? causeOf(cause) : error
  return reason instanceof Error ? reason.message || reason.name : String(reason)
}

function causeOf(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0]
  return error.cause instanceof Error ? causeOf(error.cause) : error
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
