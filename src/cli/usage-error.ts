/** The command was called wrongly: one line for the person, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An error from elsewhere as one of usage; it follows `haft: `, so its sentence starts small. */
export function asUsageError(error: Error): UsageError {
  return new UsageError(error.message.charAt(0).toLowerCase() + error.message.slice(1), { cause: error })
}
