import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isObject } from '../../shared/is-record.js'
import { reasonOf } from '../../shared/reason-of.js'

/** The error that a server behind answered with, where that is what went wrong. */
export function answeredError(error: unknown): ProtocolError | undefined {
  for (let each = error; isObject(each); each = each.cause) {
    const { code, message, data } = each
    if (typeof code === 'number' && Number.isInteger(code)) return ProtocolError.fromError(code, String(message), data)
  }
  return undefined
}

/** What a client gets to read of a failure: the error of the server behind, or our own. */
export function asProtocolError(error: unknown): ProtocolError {
  return answeredError(error) ?? new ProtocolError(ProtocolErrorCode.InternalError, reasonOf(error) || 'it failed')
}

/** Errors that a client has to see as such, because it is to act on them and not its model. */
const FOR_CLIENTS: ReadonlySet<number> = new Set([
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UrlElicitationRequired,
])

export function errorForClient(error: unknown): ProtocolError | undefined {
  const answered = answeredError(error)
  return answered !== undefined && FOR_CLIENTS.has(answered.code) ? answered : undefined
}
