import { cutText } from './cut-text.js'

const MAX_QUOTED_CHARS = 100

/** Formats any value as one short quoted line for a message, so that a hostile value cannot make the message long or split it. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : toText(value)
  return JSON.stringify(text.length > MAX_QUOTED_CHARS ? `${cutText(text, MAX_QUOTED_CHARS)}…` : text)
}

function toText(value: unknown): string {
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
