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

/**
 * Whether a JSON value is nested deeper than the limit. Not recursive, because a deep value would overflow the stack.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; depth <= maxDepth; depth++) {
    if (level.length === 0) return false
    level = level.flatMap((parent) => Object.values(parent).filter(isNested))
  }
  return level.length > 0
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
