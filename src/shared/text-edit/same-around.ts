import type { ChangedText } from './unified-patch.js'

const STEP = 4_096

/** Two texts, and how much of their start and end is the same. */
export function sameAround(before: string, after: string): ChangedText {
  const shorter = Math.min(before.length, after.length)
  const samePrefix = grow(shorter, (from, to) => before.slice(from, to) === after.slice(from, to))
  const sameSuffix = grow(
    shorter - samePrefix,
    (from, to) =>
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  )
  return { before, samePrefix, sameSuffix, middle: after.slice(samePrefix, after.length - sameSuffix) }
}

/** How far a part that is the same reaches: in long steps first, since most of a file is. */
function grow(limit: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0
  for (let step = STEP; step >= 1; step = Math.floor(step / 2)) {
    while (length + step <= limit && isSame(length, length + step)) length += step
  }
  return length
}
