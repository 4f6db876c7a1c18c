import type { Tool } from '../contract/tool/tool.js'

/** Default limits of concurrent calls by kind, over all agents. */
export const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/** The kind of background sub-agents. Separate from that of calls, or a call that starts one would wait for the others. */
export function backgroundAgents(depth: number): string {
  return `agents:background-${depth}`
}

/** The kind whose limit a call counts towards. Sub-agents are limited per depth, because a parent that waits for its child would deadlock. */
export function resourceKind(tool: Tool, depth: number): string {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return `agents:${depth}`
  return tool.needs?.includes('shell') ? 'shell' : 'none'
}
