import { ModelError, type ModelErrorKind } from '../../contract/model/model-error.js'
import { isRecord } from '../../shared/is-record.js'
import { printable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import { retryAfterMs } from '../http/retry-after-ms.js'

const MAX_MESSAGE = 500
/** Anything shorter would take words out of messages. */
const MIN_SECRET = 6

export interface FailureContext {
  /** Where the request went, without anything secret. */
  readonly origin: string
  readonly secrets: readonly string[]
  readonly isAborted: boolean
  /** The server said nothing for too long. */
  readonly isIdle: boolean
  readonly hasStarted: boolean
}

/** Any failure of a request as what the loop understands, in one line that gives no key away. */
export function toModelError(error: unknown, context: FailureContext): ModelError {
  const { origin, isAborted, isIdle, hasStarted } = context
  if (error instanceof ModelError) return error
  const failure = endpointFailure(error)
  const reason = clean(reasonsOf(error), context)
  // Not the error itself: what SDKs and servers put into theirs may be a key.
  const cause = new Error(reason)
  if (isAborted) return new ModelError('aborted', 'The request was stopped.', { cause })
  if (isIdle) return new ModelError('timed_out', `${origin} said nothing for too long.`, { cause })
  if (failure !== undefined) return answered(failure, context, cause)
  if (hasStarted)
    return new ModelError('stream_cut', `${origin} stopped in the middle of its answer: ${reason}`, { cause })
  return new ModelError('network', `${origin} cannot be reached: ${reason}`, { cause })
}

function answered(failure: EndpointFailure, context: FailureContext, cause: Error): ModelError {
  const { status } = failure
  const kind = failureKind(failure)
  const said = clean(failure.message.replace(/^\d{3} /, ''), context)
  const hint = status === 404 && kind === 'invalid_request' ? ' (is the base URL right? Most end with /v1)' : ''
  const message = `${context.origin} answered ${status ?? 'with an error'}: ${said}${hint}`
  return new ModelError(kind, message, { status, retryAfterMs: retryAfterMs({ get: failure.header }), cause })
}

/** Errors of connections tell what happened in their causes. */
function reasonsOf(error: unknown): string {
  const reasons: string[] = []
  for (let at = error; at instanceof Error && reasons.length < 4; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    const reason = reasonOf(at)
    reasons.push(typeof code === 'string' && !reason.includes(code) ? `${reason} ${code}`.trim() : reason)
  }
  return [...new Set(reasons)].filter((reason) => reason !== '').join(': ') || 'no reason was given'
}

function clean(text: string, { secrets }: FailureContext): string {
  let safe = text
  for (const secret of secrets) if (secret.length >= MIN_SECRET) safe = safe.replaceAll(secret, '[key]')
  // A page for browsers says nothing that a line could hold.
  const words = /^\s*</.test(safe) ? 'a web page instead of an answer' : safe.trim().replace(/\s+/g, ' ')
  return printable(words.length > MAX_MESSAGE ? `${words.slice(0, MAX_MESSAGE)}…` : words)
}

/** What an endpoint said of a request that failed, whatever shape it said it in. */
export interface EndpointFailure {
  readonly status: number | undefined
  readonly code: string
  readonly param: string
  readonly message: string
  readonly header: (name: string) => string | undefined
}

/** Reads it off an error of the SDK or of a stream; undefined for one that no endpoint sent. */
export function endpointFailure(error: unknown): EndpointFailure | undefined {
  if (!isRecord(error)) return undefined
  const { status, headers } = error
  const body = bodyOf(error.error)
  if (typeof status !== 'number' && body === undefined) return undefined
  return {
    status: typeof status === 'number' ? status : statusIn(body ?? {}),
    code: [body?.code, body?.type].filter((part) => typeof part === 'string').join(' '),
    param: typeof body?.param === 'string' ? body.param : '',
    message: messageIn(body) ?? reasonOf(error),
    header: (name) => (headers as Headers | undefined)?.get(name) ?? undefined,
  }
}

function bodyOf(body: unknown): Record<string, unknown> | undefined {
  if (typeof body === 'string') return { message: body }
  if (!isRecord(body)) return undefined
  return isRecord(body.error) ? body.error : body
}

/** Routers tell the status of the server behind them as the code of an error within the stream. */
function statusIn({ code, status }: Record<string, unknown>): number | undefined {
  return [code, status].find((value) => typeof value === 'number' && value >= 400 && value < 600) as number | undefined
}

function messageIn(body: Record<string, unknown> | undefined): string | undefined {
  if (typeof body?.message === 'string') return body.message
  return typeof body?.detail === 'string' ? body.detail : undefined
}

/** The words that servers use; their statuses say less, as each server has its own mind about them. */
const TOO_LONG =
  /context[ _]?(length|window|size)|maximum context|prompt is too long|too many (input )?tokens|input (is )?too long|max_model_len|n_ctx|string_above_max_length|reduce the length/i
const NO_MONEY = /insufficient_quota|insufficient (credits|funds|balance)|billing/i
const OVERLOADED = /overloaded|at capacity/i
const RATE_LIMITED = /rate_?limit/i
const NO_SUCH_MODEL =
  /model_not_found|invalid model|unknown model|model .{0,100}(not found|does not exist|not exist|not available)|no such model/i
const BAD_KEY = /invalid_api_key|authentication/i

const BY_STATUS: Readonly<Record<number, ModelErrorKind>> = {
  401: 'unauthorised',
  402: 'unauthorised',
  403: 'unauthorised',
  408: 'timed_out',
  413: 'too_long',
  503: 'overloaded',
  529: 'overloaded',
}

/** What a failure means for what to do next. */
function failureKind({ status = 0, code, message }: EndpointFailure): ModelErrorKind {
  const said = `${code} ${message}`
  if (status === 429) return NO_MONEY.test(said) ? 'unauthorised' : 'rate_limited'
  const known = BY_STATUS[status]
  if (known !== undefined) return known
  if (status >= 500 || status === 409) return kindOfServerError(said)
  // An error within a stream has no status: what has begun to work may work again.
  return kindOfWords(said) ?? (status === 0 ? 'server_error' : 'invalid_request')
}

/** Whether it is the model that is not there, and not the address. */
export function isAboutModel({ code, message }: EndpointFailure): boolean {
  return NO_SUCH_MODEL.test(`${code} ${message}`)
}

/** Some local servers answer 500 to a prompt that is too long, which will never get shorter by waiting. */
function kindOfServerError(said: string): ModelErrorKind {
  if (TOO_LONG.test(said)) return 'too_long'
  return OVERLOADED.test(said) ? 'overloaded' : 'server_error'
}

function kindOfWords(said: string): ModelErrorKind | undefined {
  if (TOO_LONG.test(said)) return 'too_long'
  if (NO_SUCH_MODEL.test(said)) return 'unknown_model'
  if (NO_MONEY.test(said) || BAD_KEY.test(said)) return 'unauthorised'
  if (RATE_LIMITED.test(said)) return 'rate_limited'
  return OVERLOADED.test(said) ? 'overloaded' : undefined
}
