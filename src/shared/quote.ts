const MAX_QUOTED = 100

/** Formats any value as one short quoted line for a message, so that a hostile value cannot flood or break it. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : describe(value)
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}

function describe(value: unknown): string {
  try {
    return String(value)
  } catch {
    // An object that cannot be converted to text.
    return typeof value
  }
}

/** Quotes a text as one word of a shell command. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
