import { langgraph } from './langgraph.mjs'
import { openaiAgents } from './openai-agents.mjs'
import { piAgent } from './pi-agent.mjs'
import { vercelAi } from './vercel-ai.mjs'

/**
 * The turns of the peers by name, each with the simplest public API of the peer.
 * @type {Readonly<Record<string, () => Promise<import('../lib/turns.mjs').Turn>>>}
 */
export const PEER_TURNS = { 'pi-agent': piAgent, ai: vercelAi, langgraph, 'openai-agents': openaiAgents }
