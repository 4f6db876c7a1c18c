import type { Tool } from '../contract/tool.js'

/** How many calls of one kind run at once, over all agents, unless the host says otherwise. */
export const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/** The places of sub-agents that agents of this depth start. */
export function agentsKind(depth: number): string {
  return `agents:${depth}`
}

/** What a call takes a place of; agents wait only for agents of their own depth, or those above would wait for those below for ever. */
export function resourceKind(tool: Tool, depth: number): string {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return agentsKind(depth)
  return tool.needs?.includes('shell') ? 'shell' : 'none'
}
