const MAX_QUOTED = 100

/** Any value as one short line in quotes, fit for a message: a hostile one must not flood or break it. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : describe(value)
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}

function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    // An object without a text of its own.
    return typeof value
  }
}
