/** The approximate length of a value as JSON. Not recursive, because a deep value would overflow the stack. */
export function roughSize(value: unknown): number {
  const remaining = [value]
  let size = 0
  while (remaining.length > 0) {
    const next = remaining.pop()
    if (typeof next === 'string') size += next.length + 2
    else if (typeof next !== 'object' || next === null) size += 4
    else {
      for (const [key, part] of Object.entries(next)) {
        size += key.length + 4
        remaining.push(part)
      }
    }
  }
  return size
}
