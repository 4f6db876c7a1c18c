import { compareCodeUnits } from './compare-code-units.js'

/** The known names that look most like `wanted`, best first: for errors that help to correct a slip. */
export function nearestNames(wanted: string, known: Iterable<string>, limit = 3): string[] {
  const target = wanted.slice(0, LONGEST_COMPARED).toLowerCase()
  const most = Math.max(2, Math.floor(target.length / 3))
  const scored: { name: string; distance: number }[] = []
  for (const name of known) {
    const candidate = name.slice(0, LONGEST_COMPARED).toLowerCase()
    const distance = distanceOf(target, candidate, most)
    if (distance <= most) scored.push({ name, distance })
  }
  scored.sort((a, b) => a.distance - b.distance || compareCodeUnits(a.name, b.name))
  return scored.slice(0, limit).map(({ name }) => name)
}

function distanceOf(target: string, candidate: string, most: number): number {
  if (target !== '' && candidate.startsWith(target)) return 0
  // Each letter that one has more is a step: most names need no comparing.
  const atLeast = Math.abs(target.length - candidate.length)
  return atLeast > most ? atLeast : editDistance(target, candidate, most)
}

/** Names are short; a hostile megabyte must not cost a quadratic comparison. */
const LONGEST_COMPARED = 128

/** Returns a number above `limit` as soon as the distance must exceed it. */
function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let rowMinimum = i
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const distance = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
      current.push(distance)
      if (distance < rowMinimum) rowMinimum = distance
    }
    if (rowMinimum > limit) return rowMinimum
    previous = current
  }
  return previous[b.length] ?? 0
}
