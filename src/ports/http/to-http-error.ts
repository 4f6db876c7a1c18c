import { HttpError } from '../../contract/ports/http.js'
import { reasonOf } from '../../shared/reason-of.js'

/** Converts an error of the HTTP client, which wraps the actual cause in another error. */
export function toHttpError(error: unknown, url: URL): HttpError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof HttpError) return cause
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const advice = url.protocol === 'https:' ? ' The request was made over https.' : ''
  return new HttpError('failed', `The request to ${url.host} failed: ${describeCause(cause)}.${advice}`, {
    cause: error,
  })
}

/** Describes a cause. If all addresses of a host fail, its message is empty, and only the code shows what happened. */
function describeCause(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return (reasonOf(cause) || code).replace(/\.$/, '')
}
