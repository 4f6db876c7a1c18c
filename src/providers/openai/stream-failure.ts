/** The server told of an error within its stream. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure'
  readonly error: Readonly<Record<string, unknown>>

  constructor(error: Readonly<Record<string, unknown>>) {
    super(typeof error.message === 'string' ? error.message : 'The server told of an error.')
    this.error = error
  }
}
