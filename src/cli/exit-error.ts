/** The command ends with this code, after one line for the person. */
export class ExitError extends Error {
  override readonly name = 'ExitError'

  constructor(
    readonly exitCode: number,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
