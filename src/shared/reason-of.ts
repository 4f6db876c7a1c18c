/** What a thrown value says, whatever was thrown; empty where it says nothing. */
export function reasonOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'string') return thrown
    if (thrown === undefined || thrown === null) return ''
    if (typeof thrown !== 'object') return String(thrown)
    const { message } = thrown as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    // A value that cannot even be looked at says nothing.
    return ''
  }
}
