/** The message of a thrown value of any type; empty if it has none. */
export function reasonOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (thrown === undefined || thrown === null) return ''
    if (typeof thrown !== 'object') return String(thrown)
    const { message } = thrown as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    // A value that throws when it is read has no message.
    return ''
  }
}
