/** Whether a value as JSON has it is nested deeper than so many levels; found without recursion, which a deep one would overflow. */
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
