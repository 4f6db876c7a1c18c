import { AGENT_OPENERS } from './agents.mjs'
import { measureCpuTime, repeat } from './cpu-time.mjs'
import { computeMedian } from './interleave.mjs'

/**
 * Measures one agent of `AGENT_OPENERS` in a process of its own: each message from the parent names a figure of `FIGURE_MEASUREMENTS`,
 * and the answer is its cost in CPU microseconds; of `growth`, the cost of a turn in a conversation of 1,000 relative to 100.
 */
const agent = await AGENT_OPENERS[process.argv[2] ?? '']?.().catch(fail)
if (agent !== undefined) {
  const answeredCalls = await agent.converse({ turns: 2, calls: 3 })
  if (answeredCalls !== 6) throw new Error(`only ${answeredCalls} of 6 calls were answered`)
  process.on('message', async (/** @type {string} */ name) =>
    process.send?.({ cost: await FIGURE_MEASUREMENTS[name]?.(agent) }),
  )
  process.send?.({ isReady: true })
}

/** @param {unknown} error */
function fail(error) {
  process.send?.({ problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) })
  process.disconnect?.()
  return undefined
}

/**
 * @typedef {import('./agents.mjs').BenchAgent} BenchAgent
 * @type {Readonly<Record<string, (agent: BenchAgent) => Promise<number>>>}
 */
const FIGURE_MEASUREMENTS = {
  async call(agent) {
    const costOfFew = await measureMeanCost(() => agent.converse({ turns: 1, calls: 10 }), 20)
    const costOfMany = await measureMeanCost(() => agent.converse({ turns: 1, calls: 110 }), 20)
    return (costOfMany - costOfFew) / 100
  },
  turn: (agent) => measureMeanCost(() => agent.converse({ turns: 1, calls: 1 }), 200),
  'turn of 100': (agent) => measureTurn(agent, { turns: 100, conversations: 10 }),
  'turn of 300': (agent) => measureTurn(agent, { turns: 300, conversations: 3 }),
  'turn of 1,000': (agent) => measureTurn(agent, { turns: 1_000, conversations: 1 }),
  async growth(agent) {
    // Short conversations before and after the long one: whatever runs first pays for the garbage of other figures.
    const costBefore = await measureTurn(agent, { turns: 100, conversations: 10 })
    const costOfLong = await measureTurn(agent, { turns: 1_000, conversations: 1 })
    const costAfter = await measureTurn(agent, { turns: 100, conversations: 10 })
    return (2 * costOfLong) / (costBefore + costAfter)
  },
  async tool(agent) {
    const differences = []
    for (let pair = 0; pair < 5; pair++) {
      const costOfFew = await measureTurn(agent, { turns: 100, conversations: 1 })
      differences.push((await measureTurn(agent, { turns: 100, conversations: 1, tools: 1_001 })) - costOfFew)
    }
    return computeMedian(differences) / 1_000
  },
  async creation(agent) {
    /** @type {(() => Promise<void>)[]} */
    const disposals = []
    const cost = await measureMeanCost(() => disposals.push(agent.create()), 50)
    for (const dispose of disposals) await dispose()
    return cost
  },
}

/**
 * @param {BenchAgent} agent
 * @param {{ turns: number, conversations: number, tools?: number }} script
 */
async function measureTurn(agent, { turns, conversations, tools = 1 }) {
  return (await measureMeanCost(() => agent.converse({ turns, calls: 1, tools }), conversations)) / turns
}

/**
 * @param {() => unknown} action
 * @param {number} times
 */
async function measureMeanCost(action, times) {
  return (await measureCpuTime(() => repeat(action, times))) / times
}
