const SPACE = new Set([' ', '\t', '\n', '\r'])

/** The offset of the next character that is neither space nor comment; undefined if a comment has no end. */
export function skipTrivia(text: string, from: number): number | undefined {
  let at = from
  for (;;) {
    if (SPACE.has(text[at] ?? '')) at++
    else if (text.startsWith('//', at)) at = endOfLine(text, at)
    else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2)
      if (close === -1) return undefined
      at = close + 2
    } else return at
  }
}

/** The offset of the line break that ends this line, or of the end of the text. */
function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '\n' || text[at] === '\r') return at
  return text.length
}
