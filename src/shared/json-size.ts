/** Returns the approximate length of a value as JSON. Not recursive, because a deep value would overflow the stack. */
export function estimateJsonSize(value: unknown): number {
  const pendingValues = [value]
  let size = 0
  while (pendingValues.length > 0) {
    const nextValue = pendingValues.pop()
    if (typeof nextValue === 'string') size += nextValue.length + 2
    else if (typeof nextValue !== 'object' || nextValue === null) size += 4
    else {
      for (const [key, part] of Object.entries(nextValue)) {
        size += key.length + 4
        pendingValues.push(part)
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
