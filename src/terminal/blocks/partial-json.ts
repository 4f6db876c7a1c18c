/** Parses the part of a JSON object that has arrived. Returns undefined before its opening brace. */
export function parsePartialJson(text: string): unknown {
  for (const candidate of listCandidates(text)) {
    try {
      return JSON.parse(candidate)
    } catch {
      // The candidate is not valid JSON. The next one omits more of the end.
    }
  }
  return undefined
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' }
const TOKEN = /"(?:[^"\\]|\\.)*("|$|\\$)|[{}[\],]/gs

/** Returns the texts to try: the text, the text with all brackets closed, and two shorter prefixes, also closed. */
function listCandidates(text: string): readonly string[] {
  const closers: string[] = []
  const prefixes: string[] = []
  let isInString = false
  for (const { 0: token, 1: quote, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('"')) {
      isInString = quote !== '"'
      continue
    }
    if (token === '}' || token === ']') {
      closers.shift()
      continue
    }
    if (token !== ',') closers.unshift(CLOSERS[token] ?? '')
    prefixes.unshift(text.slice(0, token === ',' ? index : index + 1) + closers.join(''))
    prefixes.length = Math.min(prefixes.length, 2)
  }
  // An escape sequence may be incomplete.
  const end = isInString ? `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, '')}"` : text
  return [text, end + closers.join(''), ...prefixes]
}
