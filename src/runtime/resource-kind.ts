import type { Tool } from '../contract/tool/tool.js'

/** How many calls of one kind run at once, over all agents, unless the host says otherwise. */
export const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/** The places of sub-agents in the background; apart from those of calls, or the call that starts one more would wait for the others. */
export function backgroundAgents(depth: number): string {
  return `agents:background-${depth}`
}

/** What a call takes a place of; agents wait only for agents of their own depth, or those above would wait for those below for ever. */
export function resourceKind(tool: Tool, depth: number): string {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return `agents:${depth}`
  return tool.needs?.includes('shell') ? 'shell' : 'none'
}
