import { compareCodeUnits } from './compare-code-units.js'

/** Returns the known names most similar to `unknownName`, best first, for error messages. */
export function findNearestNames(unknownName: string, knownNames: Iterable<string>, limit = 3): string[] {
  const target = unknownName.slice(0, MAX_COMPARED_CHARS).toLowerCase()
  const maxDistance = Math.max(2, Math.floor(target.length / 3))
  const scoredNames: { name: string; distance: number }[] = []
  for (const name of knownNames) {
    const candidate = name.slice(0, MAX_COMPARED_CHARS).toLowerCase()
    const distance = measureDistance(target, candidate, maxDistance)
    if (distance <= maxDistance) scoredNames.push({ name, distance })
  }
  scoredNames.sort((a, b) => a.distance - b.distance || compareCodeUnits(a.name, b.name))
  return scoredNames.slice(0, limit).map(({ name }) => name)
}

function measureDistance(target: string, candidate: string, maxDistance: number): number {
  if (target !== '' && candidate.startsWith(target)) return 0
  // The difference in length is a lower bound, which rules out most names.
  const minDistance = Math.abs(target.length - candidate.length)
  return minDistance > maxDistance ? minDistance : computeEditDistance(target, candidate, maxDistance)
}

/** Real names are shorter. The limit keeps a hostile name from causing a slow, quadratic comparison. */
const MAX_COMPARED_CHARS = 128

/**
 * Returns the Levenshtein distance, or any number above `limit` if the distance exceeds it. Uses one typed row, because it runs
 * for every known name.
 */
function computeEditDistance(a: string, b: string, limit: number): number {
  const row = new Uint16Array(b.length + 1)
  for (let j = 0; j <= b.length; j++) row[j] = j
  for (let i = 1; i <= a.length; i++) {
    const code = a.charCodeAt(i - 1)
    let diagonal = row[0] ?? 0
    let left = i
    let rowMinimum = i
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const distanceAbove = row[j] ?? 0
      const substitution = diagonal + (code === b.charCodeAt(j - 1) ? 0 : 1)
      left = Math.min(substitution, distanceAbove + 1, left + 1)
      row[j] = left
      diagonal = distanceAbove
      if (left < rowMinimum) rowMinimum = left
    }
    if (rowMinimum > limit) return rowMinimum
  }
  return row[b.length] ?? 0
}

/** Returns the question ` Did you mean …?` for an unknown name; empty if no known name is similar. */
export function didYouMean(unknownName: string, knownNames: Iterable<string>): string {
  const similarNames = findNearestNames(unknownName, knownNames)
  return similarNames.length === 0 ? '' : ` Did you mean ${similarNames.join(' or ')}?`
}
