import { growSame } from '../grow-same.js'
import type { ChangedText } from './unified-patch.js'

/** Two texts, and how much of their start and end is the same. */
export function sameAround(before: string, after: string): ChangedText {
  const shorter = Math.min(before.length, after.length)
  const samePrefix = growSame(shorter, (from, to) => before.slice(from, to) === after.slice(from, to))
  const sameSuffix = growSame(
    shorter - samePrefix,
    (from, to) =>
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  )
  return { before, samePrefix, sameSuffix, middle: after.slice(samePrefix, after.length - sameSuffix) }
}
