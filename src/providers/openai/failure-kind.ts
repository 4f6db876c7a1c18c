import type { ModelErrorKind } from '../../contract/model-error.js'
import type { EndpointFailure } from './endpoint-failure.js'

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
export function failureKind({ status = 0, code, message }: EndpointFailure): ModelErrorKind {
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
