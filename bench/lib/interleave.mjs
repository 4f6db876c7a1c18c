/**
 * @typedef {{ name: string, run: () => number | Promise<number>, limit?: number }} Case
 * A case gives what one round cost, in any unit; `limit` is the most it may be, as a ratio to the baseline.
 */

/**
 * Runs the cases in turn, round after round, so that whatever else the machine does hits all alike.
 * The first case is the baseline of the others; the first round warms up and does not count.
 * @param {{ cases: readonly [Case, ...Case[]], rounds: number }} options
 */
export async function interleave({ cases, rounds }) {
  /** @type {Map<string, number[]>} */
  const costs = new Map(cases.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of cases) {
      const cost = await run()
      if (round > 0) costs.get(name)?.push(cost)
    }
  }
  const baseline = median(costs.get(cases[0].name) ?? [])
  return cases.map(({ name, limit }) => {
    const cost = median(costs.get(name) ?? [])
    return { name, median: cost, ratio: cost / baseline, limit }
  })
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
