import type { Claims } from './claims.js'
import { foldersAbove } from './folders-above.js'

/** Whether the second claims hold something that the first do not. */
export function areGrown(before: Claims, after: Claims): boolean {
  if (before.kind === 'everything') return !before.isExclusive && holdsToWrite(after)
  if (after.kind === 'everything') return true
  const written = new Set(before.writes)
  const held = new Set([...before.reads, ...before.writes])
  return after.reads.some((key) => !covers(held, key)) || after.writes.some((key) => !covers(written, key))
}

function holdsToWrite(claims: Claims): boolean {
  return claims.kind === 'everything' ? claims.isExclusive : claims.writes.length > 0
}

/** Who holds a folder holds what is in it. */
export function covers(keys: ReadonlySet<string>, key: string): boolean {
  return keys.has(key) || foldersAbove(key).some((folder) => keys.has(folder))
}
