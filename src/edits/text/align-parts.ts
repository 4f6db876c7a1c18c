import { diffArrays } from 'diff/lib/diff/array.js'

const MAX_DIFFERENCES = 2_000

/**
 * For each new part the index of the old part it equals, in ascending order; undefined for added parts. Empty if the
 * parts differ too much to compare.
 */
export function alignParts(before: readonly string[], after: readonly string[]): readonly (number | undefined)[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: MAX_DIFFERENCES })
  const aligned: (number | undefined)[] = []
  if (changes === undefined) return aligned
  let oldIndex = 0
  for (const { added, removed, count } of changes) {
    for (let step = 0; step < count; step++) {
      if (!removed) aligned.push(added ? undefined : oldIndex)
      if (!added) oldIndex++
    }
  }
  return aligned
}
