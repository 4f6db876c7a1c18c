import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('./turn-worker.mjs', import.meta.url))

/**
 * Starts a process that measures one case; undefined, and a line that says why, if the case does not work here.
 * @param {string} name
 */
export async function turnProcess(name) {
  const child = fork(WORKER, [name])
  const next = () => new Promise((resolve) => child.once('message', resolve))
  const { isReady, problem } = await /** @type {Promise<{ isReady?: true, problem?: string }>} */ (next())
  if (isReady === undefined) {
    console.log(`Left out: ${name} (${problem})`)
    return undefined
  }
  return {
    name,
    /** CPU microseconds of a further call in a turn, measured once more. */
    async run() {
      const answer = next()
      child.send('round')
      const { cost } = await /** @type {Promise<{ cost: number }>} */ (answer)
      return cost
    },
    end: () => child.disconnect(),
  }
}
