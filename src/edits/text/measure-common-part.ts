const INITIAL_STEP = 64 * 1024

/** The length of the part that two contents have in common. Starts with large steps, because most of a file is the same. */
export function measureCommonPart(limit: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0
  for (let step = INITIAL_STEP; step >= 1; step = Math.floor(step / 2)) {
    while (length + step <= limit && isSame(length, length + step)) length += step
  }
  return length
}
