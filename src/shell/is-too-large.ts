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
