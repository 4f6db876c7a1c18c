import { ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { toPrintable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import { readRetryAfterMs } from '../http/retry-after-ms.js'

const MAX_MESSAGE_CHARS = 500
/** Shorter values are not replaced, because that would remove ordinary words from messages. */
const MIN_SECRET_CHARS = 6

export interface FailureContext {
  /** Origin of the endpoint, without secrets. */
  readonly origin: string
  readonly secrets: readonly string[]
  readonly isAborted: boolean
  /** Whether the server sent no data for too long. */
  readonly isIdle: boolean
  readonly hasStarted: boolean
}

/** Converts any failure of a request to a `ModelError` with a one-line message that contains no key. */
export function toModelError(error: unknown, context: FailureContext): ModelError {
  const { origin, isAborted, isIdle, hasStarted } = context
  if (error instanceof ModelError) return error
  const failure = toEndpointFailure(error)
  const reason = cleanText(describeCauses(error), context)
  // A new error is created, because the original one may contain a key.
  const cause = new Error(reason)
  if (isAborted) return new ModelError('aborted', 'The request was aborted.', { cause })
  if (isIdle) return new ModelError('timed_out', `${origin} sent no data for too long.`, { cause })
  if (failure !== undefined) return toResponseError(failure, context, cause)
  if (hasStarted) return new ModelError('stream_cut', `${origin} cut off its answer: ${reason}`, { cause })
  return new ModelError('network', `Could not reach ${origin}: ${reason}`, { cause })
}

function toResponseError(failure: EndpointFailure, context: FailureContext, cause: Error): ModelError {
  const { status } = failure
  const kind = classifyFailure(failure)
  const text = cleanText(failure.message.replace(/^\d{3} /, ''), context)
  const hint = status === 404 && kind === 'invalid_request' ? ' (check the base URL; most end with /v1)' : ''
  const message = `${context.origin} answered ${status ?? 'with an error'}: ${text}${hint}`
  return new ModelError(kind, message, { status, retryAfterMs: readRetryAfterMs({ get: failure.header }), cause })
}

/** Describes an error with its causes, because connection errors have the actual reason there. */
function describeCauses(error: unknown): string {
  const reasons: string[] = []
  for (
    let currentError = error;
    currentError instanceof Error && reasons.length < 4;
    currentError = currentError.cause
  ) {
    const { code } = currentError as NodeJS.ErrnoException
    const reason = reasonOf(currentError)
    reasons.push(typeof code === 'string' && !reason.includes(code) ? `${reason} ${code}`.trim() : reason)
  }
  return [...new Set(reasons)].filter((reason) => reason !== '').join(': ') || 'unknown reason'
}

function cleanText(text: string, { secrets }: FailureContext): string {
  let redactedText = text
  for (const secret of secrets)
    if (secret.length >= MIN_SECRET_CHARS) redactedText = redactedText.replaceAll(secret, '[key]')
  // An HTML page does not fit into one line.
  const line = /^\s*</.test(redactedText)
    ? 'an HTML page instead of a JSON error'
    : redactedText.trim().replace(/\s+/g, ' ')
  return toPrintable(line.length > MAX_MESSAGE_CHARS ? `${cutText(line, MAX_MESSAGE_CHARS)}…` : line)
}

/** The error response of an endpoint, in one shape for all servers. */
export interface EndpointFailure {
  readonly status: number | undefined
  readonly code: string
  readonly param: string
  readonly message: string
  readonly header: (name: string) => string | undefined
}

/** Reads the error response from an error of the SDK or of a stream; undefined if the endpoint did not send one. */
export function toEndpointFailure(error: unknown): EndpointFailure | undefined {
  if (!isRecord(error)) return undefined
  const { status, headers } = error
  const body = readBody(error.error)
  if (typeof status !== 'number' && body === undefined) return undefined
  return {
    status: typeof status === 'number' ? status : findStatus(body ?? {}),
    code: [body?.code, body?.type].filter((text) => typeof text === 'string').join(' '),
    param: typeof body?.param === 'string' ? body.param : '',
    message: findMessage(body) ?? reasonOf(error),
    header: (name) => (headers as Headers | undefined)?.get(name) ?? undefined,
  }
}

function readBody(body: unknown): Record<string, unknown> | undefined {
  if (typeof body === 'string') return { message: body }
  if (!isRecord(body)) return undefined
  return isRecord(body.error) ? body.error : body
}

/** Finds the status of an error. Routers send the status of the upstream server as the code of an error in the stream. */
function findStatus({ code, status }: Record<string, unknown>): number | undefined {
  return [code, status].find((value) => typeof value === 'number' && value >= 400 && value < 600) as number | undefined
}

function findMessage(body: Record<string, unknown> | undefined): string | undefined {
  if (typeof body?.message === 'string') return body.message
  return typeof body?.detail === 'string' ? body.detail : undefined
}

/** Error messages are matched, because servers use status codes inconsistently. */
const TOO_LONG_PATTERN =
  /context[ _]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|input (is )?too long|max_model_len|n_ctx|string_above_max_length|reduce the length/i
const OUT_OF_CREDIT_TEXT = /insufficient_quota|insufficient (credits|funds|balance)|billing/i
const OVERLOADED_TEXT = /overloaded|at capacity/i
const RATE_LIMIT_PATTERN = /rate_?limit/i
const UNKNOWN_MODEL_TEXT =
  /model_not_found|invalid model|unknown model|model .{0,100}(not found|does not exist|not exist|not available)|no such model/i
const BAD_KEY_ERROR = /invalid_api_key|authentication/i

const KIND_BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: 'unauthorised',
  402: 'unauthorised',
  403: 'unauthorised',
  408: 'timed_out',
  413: 'too_long',
  503: 'overloaded',
  529: 'overloaded',
}

/** Classifies a failure by its status, code and message. */
function classifyFailure({ status = 0, code, message }: EndpointFailure): ModelErrorKind {
  const text = `${code} ${message}`
  if (status === 429) return OUT_OF_CREDIT_TEXT.test(text) ? 'unauthorised' : 'rate_limited'
  const kindByStatus = KIND_BY_STATUS[status]
  if (kindByStatus !== undefined) return kindByStatus
  if (status >= 500 || status === 409) return classifyServerError(text)
  // An error in the stream has no status. The request was accepted, so a retry may succeed.
  return findKindByMessage(text) ?? (status === 0 ? 'server_error' : 'invalid_request')
}

/** Whether the model is missing, as opposed to the URL. */
export function isAboutModel({ code, message }: EndpointFailure): boolean {
  return UNKNOWN_MODEL_TEXT.test(`${code} ${message}`)
}

/** Classifies a server error. Some local servers answer 500 for a prompt that is too long; retrying that would not help. */
function classifyServerError(text: string): ModelErrorKind {
  if (TOO_LONG_PATTERN.test(text)) return 'too_long'
  return OVERLOADED_TEXT.test(text) ? 'overloaded' : 'server_error'
}

function findKindByMessage(text: string): ModelErrorKind | undefined {
  if (TOO_LONG_PATTERN.test(text)) return 'too_long'
  if (UNKNOWN_MODEL_TEXT.test(text)) return 'unknown_model'
  if (OUT_OF_CREDIT_TEXT.test(text) || BAD_KEY_ERROR.test(text)) return 'unauthorised'
  if (RATE_LIMIT_PATTERN.test(text)) return 'rate_limited'
  return OVERLOADED_TEXT.test(text) ? 'overloaded' : undefined
}
