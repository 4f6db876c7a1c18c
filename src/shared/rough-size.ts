/** About how many characters a value has as JSON; found without recursion, which a deep one would overflow. */
export function roughSize(value: unknown): number {
  const waiting = [value]
  let size = 0
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') size += next.length + 2
    else if (typeof next !== 'object' || next === null) size += 4
    else {
      for (const [key, part] of Object.entries(next)) {
        size += key.length + 4
        waiting.push(part)
      }
    }
  }
  return size
}
