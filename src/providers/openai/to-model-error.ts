import { ModelError } from '../../contract/model-error.js'
import { printable } from '../../shared/printable.js'
import { reasonOf } from '../../shared/reason-of.js'
import { retryAfterMs } from '../http/retry-after-ms.js'
import { type EndpointFailure, endpointFailure } from './endpoint-failure.js'
import { failureKind } from './failure-kind.js'

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
