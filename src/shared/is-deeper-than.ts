/**
 * Whether a JSON value is nested deeper than the limit. Not recursive, because a deep value would overflow the stack.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; depth <= maxDepth; depth++) {
    if (level.length === 0) return false
    level = level.flatMap((each) => Object.values(each).filter(isNested))
  }
  return level.length > 0
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
