import { langgraph } from './langgraph.mjs'
import { openaiAgents } from './openai-agents.mjs'
import { piAgent } from './pi-agent.mjs'
import { vercelAi } from './vercel-ai.mjs'

/**
 * @typedef {(count: number) => Promise<number>} Turn
 * A turn in which the model asks for so many calls of a tool that does nothing; gives how many were answered.
 */

/** @type {Readonly<Record<string, () => Promise<Turn>>>} */
const PEERS = { 'pi-agent': piAgent, ai: vercelAi, langgraph, 'openai-agents': openaiAgents }

/** Those that are installed, load on this Node and answer; the others are named with the reason. */
export async function installedPeers() {
  /** @type {{ name: string, turn: Turn }[]} */
  const peers = []
  for (const [name, load] of Object.entries(PEERS)) {
    try {
      const turn = await load()
      const answered = await turn(3)
      if (answered !== 3) throw new Error(`answered ${answered} of 3 calls`)
      peers.push({ name, turn })
    } catch (error) {
      console.log(`Left out: ${name} (${error instanceof Error ? error.message.split('\n')[0] : error})`)
    }
  }
  if (peers.length < Object.keys(PEERS).length) console.log('Peers are installed by: npm ci --prefix bench/peers')
  return peers
}
