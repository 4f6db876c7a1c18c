/** The arguments of a call as the model wrote them. Each becomes something, whatever is wrong with it. */
export function parseArguments(text: string): unknown {
  // Models write nothing at all where a tool takes nothing.
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    // As it came: the schema will refuse it with words that the model can act on.
    return text
  }
}

/** Whether nothing can follow: an object that is closed. */
export function isWholeObject(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.startsWith('{') && trimmed.endsWith('}') && typeof parseArguments(trimmed) === 'object'
}
