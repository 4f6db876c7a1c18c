import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { computeMedian } from './interleave.mjs'

/** These rounds do not count: they mostly measure the compiler, which runs on other threads and is part of the CPU time. */
const WARM_UP_ROUNDS = 5

const WORKER_PATH = fileURLToPath(new URL('./agent-worker.mjs', import.meta.url))

/**
 * Returns the medians of the figures of `agent-worker.mjs` for each agent, measured in turn, each agent in a process of its own.
 * Agents that do not run here are skipped.
 * @param {{ agents: readonly string[], figures: readonly string[], rounds: number }} options
 * @returns {Promise<ReadonlyMap<string, ReadonlyMap<string, number>>>} by figure, then by agent
 */
export async function measureAgentCosts({ agents, figures, rounds }) {
  const workers = (await Promise.all(agents.map(startWorker))).filter((worker) => worker !== undefined)
  const medians = new Map()
  for (const figure of figures) {
    /** @type {Map<string, number[]>} */
    const costs = new Map(workers.map(({ name }) => [name, []]))
    for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
      for (const { name, measure } of workers) {
        const cost = await measure(figure)
        if (round >= 0) costs.get(name)?.push(cost)
      }
    }
    medians.set(figure, new Map([...costs].map(([name, values]) => [name, computeMedian(values)])))
  }
  for (const { end } of workers) end()
  return medians
}

/** @param {string} name */
async function startWorker(name) {
  const child = fork(WORKER_PATH, [name])
  const waitForMessage = () => new Promise((resolve) => child.once('message', resolve))
  const { isReady, problem } = await /** @type {Promise<{ isReady?: true, problem?: string }>} */ (waitForMessage())
  if (isReady === undefined) {
    console.log(`Skipped: ${name} (${problem})`)
    return undefined
  }
  return {
    name,
    /** @param {string} figure */
    async measure(figure) {
      const answer = waitForMessage()
      child.send(figure)
      const { cost } = await /** @type {Promise<{ cost: number }>} */ (answer)
      return cost
    },
    end: () => child.disconnect(),
  }
}
