const FIRST_STEP = 64 * 1024

/** How far a part that is the same reaches: in long steps first, since most of a file is. */
export function growSame(limit: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0
  for (let step = FIRST_STEP; step >= 1; step = Math.floor(step / 2)) {
    while (length + step <= limit && isSame(length, length + step)) length += step
  }
  return length
}
