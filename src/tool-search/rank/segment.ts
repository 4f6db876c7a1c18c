/**
 * Cuts a run of letters into known words so that the fewest letters are left over and words are long.
 * Gives undefined in place of letters that belong to no word.
 */
export function segment<T>(run: string, words: ReadonlyMap<string, T>, longest: number): (T | undefined)[] {
  const best = new Float64Array(run.length + 1)
  const step = new Int32Array(run.length + 1)
  for (let end = 1; end <= run.length; end++) {
    best[end] = best[end - 1] ?? 0
    for (let length = Math.min(longest, end); length >= 1; length--) {
      if (!words.has(run.slice(end - length, end))) continue
      // Squares: one long word says more than two short ones.
      const value = (best[end - length] ?? 0) + length * length
      if (value <= (best[end] ?? 0)) continue
      best[end] = value
      step[end] = length
    }
  }
  const found: (T | undefined)[] = []
  for (let end = run.length; end > 0; end -= step[end] || 1)
    found.push(step[end] ? words.get(run.slice(end - (step[end] ?? 1), end)) : undefined)
  return found.reverse()
}
