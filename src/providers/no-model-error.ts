/** There is no model to ask; `message` is one line that says what to set. */
export class NoModelError extends Error {
  override readonly name = 'NoModelError'
}
