import { costOfACall } from './cpu-time.mjs'
import { TURNS } from './turns.mjs'

/**
 * Measures one case of `TURNS` in a process of its own, a round for each message: what one framework loads and
 * switches on in a process, such as the tracking of promises, would cost the others, too.
 */
const ROUND_MS = 60

try {
  const turn = await TURNS[process.argv[2] ?? '']?.()
  if (turn === undefined) throw new Error('no such case')
  const answered = await turn(3)
  if (answered !== 3) throw new Error(`answered ${answered} of 3 calls`)
  const turns = await turnsOfARound(turn)
  process.on('message', async () => process.send?.({ cost: await costOfACall(turn, turns) }))
  process.send?.({ isReady: true })
} catch (error) {
  process.send?.({ problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) })
  process.disconnect?.()
}

/**
 * So many that a round takes a while, found out when the compiler is through with the case.
 * @param {import('./turns.mjs').Turn} turn
 */
async function turnsOfARound(turn) {
  for (let turns = 1; ; turns *= 2) {
    const start = performance.now()
    await costOfACall(turn, turns)
    if (performance.now() - start > ROUND_MS) return turns
  }
}
