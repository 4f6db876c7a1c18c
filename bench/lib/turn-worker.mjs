import { measureCostOfACall } from './cpu-time.mjs'
import { TURN_RUNNERS } from './turns.mjs'

/**
 * Measures one case of `TURN_RUNNERS`, one round for each message from the parent. Each case has its own process, because
 * process-wide features that one framework enables, such as promise hooks, would slow down the others.
 */
const ROUND_MS = 60

try {
  const turn = await TURN_RUNNERS[process.argv[2] ?? '']?.()
  if (turn === undefined) throw new Error(`unknown case ${process.argv[2]}; turns.mjs lists the cases`)
  const answeredCalls = await turn(3)
  if (answeredCalls !== 3) throw new Error(`only ${answeredCalls} of 3 calls were answered`)
  const turns = await findTurnsOfARound(turn)
  process.on('message', async () => process.send?.({ cost: await measureCostOfACall(turn, turns) }))
  process.send?.({ isReady: true })
} catch (error) {
  process.send?.({ problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) })
  process.disconnect?.()
}

/**
 * Returns the number of turns that makes a round long enough to measure. While it is searched, V8 compiles the code.
 * @param {import('./turns.mjs').Turn} turn
 */
async function findTurnsOfARound(turn) {
  for (let turns = 1; ; turns *= 2) {
    const start = performance.now()
    await measureCostOfACall(turn, turns)
    if (performance.now() - start > ROUND_MS) return turns
  }
}
