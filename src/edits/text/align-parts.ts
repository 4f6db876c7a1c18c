import { diffParts } from './diff-parts.js'

const MAX_DIFFERENCES = 2_000

/**
 * Returns for each new part the index of the old part that it equals, in ascending order; undefined for added parts. Empty if the
 * parts differ too much to compare.
 */
export function alignParts(
  partsBefore: readonly string[],
  partsAfter: readonly string[],
): readonly (number | undefined)[] {
  const alignedIndexes: (number | undefined)[] = []
  let oldIndex = 0
  for (const { kind, count } of diffParts(partsBefore, partsAfter, MAX_DIFFERENCES) ?? []) {
    for (let step = 0; step < count; step++) {
      if (kind !== 'removed') alignedIndexes.push(kind === 'added' ? undefined : oldIndex)
      if (kind !== 'added') oldIndex++
    }
  }
  return alignedIndexes
}
