/** At most `limit` characters of the start: whole lines if one ends there, and never half a surrogate pair. */
export function headOf(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (text[limit] === '\n') return text.slice(0, limit)
  const lineEnd = text.lastIndexOf('\n', limit - 1)
  if (limit > 0 && lineEnd >= 0) return text.slice(0, lineEnd + 1)
  return text.slice(0, splitsPair(text, limit) ? limit - 1 : limit)
}

/** At most `limit` characters of the end: whole lines if one starts there, and never half a surrogate pair. */
export function tailOf(text: string, limit: number): string {
  if (text.length <= limit) return text
  const start = text.length - limit
  if (text[start - 1] === '\n') return text.slice(start)
  const lineStart = text.indexOf('\n', start) + 1
  // The newline that ends the text starts no line: taking it would leave nothing to show.
  if (lineStart > 0 && lineStart < text.length) return text.slice(lineStart)
  return text.slice(splitsPair(text, start) ? start + 1 : start)
}

function splitsPair(text: string, at: number): boolean {
  return isHighSurrogate(text.charCodeAt(at - 1)) && isLowSurrogate(text.charCodeAt(at))
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
