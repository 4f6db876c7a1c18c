import { covers } from './are-grown.js'
import type { Claims } from './claims.js'

/** Whether two calls that list what they touch do so in a way that makes their order matter. Who lists nothing states no such thing. */
export function areConflicting(one: Claims, other: Claims): boolean {
  if (one.kind === 'everything' || other.kind === 'everything') return false
  return isShared(one.writes, [...other.reads, ...other.writes]) || isShared(one.reads, other.writes)
}

function isShared(some: readonly string[], others: readonly string[]): boolean {
  if (some.length === 0 || others.length === 0) return false
  const [held, wanted] = [new Set(some), new Set(others)]
  return others.some((key) => covers(held, key)) || some.some((key) => covers(wanted, key))
}
