import { foldersAbove } from './claim-keys.js'
import type { Claims } from './claims.js'

/** Whether the order of two calls that list their resources matters. Calls without a resource list are not compared. */
export function areConflicting(one: Claims, other: Claims): boolean {
  if (one.kind === 'everything' || other.kind === 'everything') return false
  return overlaps(one.writes, [...other.reads, ...other.writes]) || overlaps(one.reads, other.writes)
}

/** Whether the second claims include something that the first do not. */
export function haveGrown(before: Claims, after: Claims): boolean {
  if (before.kind === 'everything') return !before.isExclusive && writesAnything(after)
  if (after.kind === 'everything') return true
  const written = new Set(before.writes)
  const held = new Set([...before.reads, ...before.writes])
  return after.reads.some((key) => !covers(held, key)) || after.writes.some((key) => !covers(written, key))
}

function writesAnything(claims: Claims): boolean {
  return claims.kind === 'everything' ? claims.isExclusive : claims.writes.length > 0
}

function overlaps(some: readonly string[], others: readonly string[]): boolean {
  if (some.length === 0 || others.length === 0) return false
  const [held, wanted] = [new Set(some), new Set(others)]
  return others.some((key) => covers(held, key)) || some.some((key) => covers(wanted, key))
}

/** Holding a folder includes everything in it. */
function covers(keys: ReadonlySet<string>, key: string): boolean {
  return keys.has(key) || foldersAbove(key).some((folder) => keys.has(folder))
}
