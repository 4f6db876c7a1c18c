import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER_PATH = fileURLToPath(new URL('./turn-worker.mjs', import.meta.url))

/**
 * Starts a process that measures one case. Returns undefined and prints the reason if the case does not run here.
 * @param {string} name
 */
export async function startTurnProcess(name) {
  const child = fork(WORKER_PATH, [name])
  const waitForMessage = () => new Promise((resolve) => child.once('message', resolve))
  const { isReady, problem } = await /** @type {Promise<{ isReady?: true, problem?: string }>} */ (waitForMessage())
  if (isReady === undefined) {
    console.log(`Skipped: ${name} (${problem})`)
    return undefined
  }
  return {
    name,
    /** Measures one round and returns the CPU microseconds of a further call in a turn. */
    async run() {
      const answer = waitForMessage()
      child.send('round')
      const { cost } = await /** @type {Promise<{ cost: number }>} */ (answer)
      return cost
    },
    end: () => child.disconnect(),
  }
}
