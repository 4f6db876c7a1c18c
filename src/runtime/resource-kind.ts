import type { Tool } from '../contract/tool/tool.js'

/** Default limits of concurrent calls by kind, over all agents. */
export const DEFAULT_LIMITS = { shell: 10, agents: 10, mcp: 10 }

/** The kind of background sub-agents. It differs from that of calls, so that the call that starts one never waits for running ones. */
export function getBackgroundAgentKind(depth: number): string {
  return `agents:background-${depth}`
}

/** The kind whose limit a call counts towards. Sub-agents are limited per depth: with a common limit, parents that wait for their children could deadlock. */
export function resourceKindOf(tool: Tool, depth: number): string {
  if (tool.mcpInfo !== undefined) return `mcp:${tool.mcpInfo.serverName}`
  if (tool.needs?.includes('agents')) return `agents:${depth}`
  return tool.needs?.includes('shell') ? 'shell' : 'none'
}
