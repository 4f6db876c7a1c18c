/** The ending of the line in which the place ends, else of the one before it. */
export function endingNear(text: string, start: number, end: number): string {
  const after = /\r\n?|\n/g
  after.lastIndex = end
  const found = after.exec(text)?.[0]
  if (found !== undefined) return found
  const before = text.slice(0, start)
  const last = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'))
  if (last === -1) return '\n'
  return before[last] === '\n' && before[last - 1] === '\r' ? '\r\n' : (before[last] ?? '\n')
}
