export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  /** A permission was denied, or needed and nobody could be asked. */
  permission: 3,
  /** The most turns, or the most money, is spent. */
  limit: 4,
  /** No key, or no such model. */
  noModel: 5,
  interrupted: 130,
} as const

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

/** The command was called wrongly: one line for the person, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An error from elsewhere as one of usage; it follows `haft: `, so its sentence starts small. */
export function asUsageError(error: Error): UsageError {
  return new UsageError(error.message.charAt(0).toLowerCase() + error.message.slice(1), { cause: error })
}
