/** Returns the message of a thrown value of any type; empty if it has none. */
export function reasonOf(thrownValue: unknown): string {
  try {
    if (typeof thrownValue === 'string') return thrownValue
    if (thrownValue === undefined || thrownValue === null) return ''
    if (typeof thrownValue !== 'object') return String(thrownValue)
    const { message } = thrownValue as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    // A value that throws when it is read has no message.
    return ''
  }
}
