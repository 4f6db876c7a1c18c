/** Cuts a run of letters into known words, as long as can be, and the letters between them. */
export function segment(run: string, words: ReadonlyMap<string, unknown>, longest: number): string[] {
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
  return cutAt(run, step)
}

function cutAt(run: string, step: Int32Array): string[] {
  const parts: string[] = []
  let end = run.length
  while (end > 0) {
    let start = end - (step[end] ?? 0)
    if (start === end) while (start > 0 && step[start] === 0) start -= 1
    parts.push(run.slice(start, end))
    end = start
  }
  return parts.reverse()
}
