export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** Permission was denied, or was needed and could not be requested. */
  permission: 3,
  /** The turn limit or the budget is reached. */
  limit: 4,
  /** No API key, or unknown model. */
  noModel: 5,
  interrupted: 130,
} as const

/** An error that ends the command with an exit code and a one-line message. */
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

/** Wrong usage of a command: one line and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An option that does not exist. Similar names are searched only when the error is printed. */
export class UnknownOptionError extends UsageError {
  constructor(
    message: string,
    readonly optionName: string,
    readonly knownOptions: object,
  ) {
    super(message)
  }
}

/**
 * Converts an error to a usage error. The message starts with a lower-case letter because it is printed after `haft: `.
 */
export function asUsageError(error: Error): UsageError {
  return new UsageError(error.message.charAt(0).toLowerCase() + error.message.slice(1), { cause: error })
}
