/** Limits for parsing, far above the size of scripts that people and models write. */
const MAX_LENGTH = 20_000
const MAX_SEPARATORS = 1_000
const MAX_BRACES = 250
const MAX_PARENTHESES = 500

/** Whether a script is too expensive to parse. Such a script is treated as unresolved. */
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
