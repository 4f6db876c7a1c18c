/** The command was called wrongly: one line for the person, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
