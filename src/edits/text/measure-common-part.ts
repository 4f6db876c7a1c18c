const INITIAL_STEP = 64 * 1024

/**
 * Measures how far two contents are equal, up to `limit`. `isSame` compares the range from `from` to `to`. Starts with
 * large steps, because an edit changes little of a file.
 */
export function measureCommonPart(limit: number, isSame: (from: number, to: number) => boolean): number {
  let length = 0
  for (let step = INITIAL_STEP; step >= 1; step = Math.floor(step / 2)) {
    while (length + step <= limit && isSame(length, length + step)) length += step
  }
  return length
}
