/** Why a session cannot be opened. */
export type SessionErrorCode = 'bad_id' | 'not_found' | 'exists' | 'locked' | 'newer_version' | 'unreadable'

/** A session cannot be opened. `message` is one line for the user. */
export class SessionError extends Error {
  override readonly name = 'SessionError'

  constructor(
    readonly code: SessionErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
