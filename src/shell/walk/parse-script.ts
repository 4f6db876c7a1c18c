import { type ParsedScript, parse } from 'unbash'

/** A call asks about its command in several folders, and parts of it are looked at by themselves. */
const MOST_KEPT = 16
const MOST_KEPT_CHARS = 4_000
const kept = new Map<string, ParsedScript>()

/** The parse of a text; the last ones are kept, and nobody changes them. */
export function parsedScript(text: string): ParsedScript {
  const known = kept.get(text)
  if (known !== undefined) return known
  const script = parse(text)
  if (text.length > MOST_KEPT_CHARS) return script
  const [oldest] = kept.keys()
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  kept.set(text, script)
  return script
}

/** Bounds within which a line is parsed. What people and models write stays far below them. */
const MAX_LENGTH = 20_000
const MAX_SEPARATORS = 1_000
const MAX_BRACES = 250
const MAX_PARENTHESES = 500

/** Whether a text could cost more to parse than it is worth: it is then left unresolved. */
export function isTooLarge(text: string): boolean {
  if (text.length > MAX_LENGTH) return true
  if (text.length < MAX_BRACES) return false
  return (
    countOf(text, /[;|&\n<>]/g) > MAX_SEPARATORS ||
    countOf(text, /\{/g) > MAX_BRACES ||
    countOf(text, /[(`[]/g) > MAX_PARENTHESES
  )
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
