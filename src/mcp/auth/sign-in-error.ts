/** The person is not signed in; the message says why, and holds no secret. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}
