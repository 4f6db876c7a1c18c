/**
 * @typedef {{ name: string, run: () => number | Promise<number>, limit?: number }} Case
 * `run` returns the cost of one round, in any unit; `limit` is the highest allowed ratio to the baseline.
 */

/**
 * Runs the cases in turn, round by round, so that other load on the machine affects all of them. The first case is the
 * baseline. The first round is a warm-up and does not count.
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
  const baseline = computeMedian(costs.get(cases[0].name) ?? [])
  return cases.map(({ name, limit }) => {
    const cost = computeMedian(costs.get(name) ?? [])
    return { name, median: cost, ratio: cost / baseline, limit }
  })
}

/** @param {readonly number[]} values */
export function computeMedian(values) {
  const sortedValues = [...values].sort((a, b) => a - b)
  return sortedValues[Math.floor(sortedValues.length / 2)] ?? Number.NaN
}
