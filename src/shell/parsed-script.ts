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
