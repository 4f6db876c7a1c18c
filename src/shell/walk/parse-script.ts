import { type ParsedScript, parse } from 'unbash'

/** The same command is analysed several times during a call. */
const MAX_CACHED = 16
const MAX_CACHED_CHARS = 4_000
const cache = new Map<string, ParsedScript>()

/** Parses a script. Recent results are cached; callers must not modify them. */
export function parseScript(text: string): ParsedScript {
  const cached = cache.get(text)
  if (cached !== undefined) return cached
  const script = parse(text)
  if (text.length > MAX_CACHED_CHARS) return script
  const [oldest] = cache.keys()
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest)
  cache.set(text, script)
  return script
}

/** Limits for parsing, far above what people and models write. */
const MAX_LENGTH = 20_000
const MAX_SEPARATORS = 1_000
const MAX_BRACES = 250
const MAX_PARENTHESES = 500

/** Whether a script is too expensive to parse. It is then unresolved. */
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
