/** Who a tool is, and how it is found. */
export interface ToolIdentity {
  readonly name: string
  /** Old names that keep working. */
  readonly aliases?: readonly string[]
  /** Three to ten words by which tool search finds it. */
  readonly searchHint?: string
  readonly isMcp?: boolean
  readonly isLsp?: boolean
  readonly mcpInfo?: McpInfo
}

/** The server and tool behind an MCP tool, as the server itself spells them. */
export interface McpInfo {
  readonly serverName: string
  readonly toolName: string
}

/** When a tool's schema is sent. */
export interface ToolLoading {
  /** Announce by name only; tool search loads it. */
  readonly shouldDefer?: boolean
  /** Never defer, whatever else is said. */
  readonly alwaysLoad?: boolean
}

export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Whether a tool comes from a server. Either sign is enough: what is doubtful is treated as an outsider. */
export function isMcpTool(tool: ToolIdentity): boolean {
  return tool.isMcp === true || (tool.mcpInfo ?? undefined) !== undefined
}

export function toolMatchesName(tool: ToolIdentity, name: string): boolean {
  return tool.name === name || (tool.aliases?.includes(name) ?? false)
}

/** The tool of this name. A name beats an alias, so that no tool can take over another by an alias. */
export function findToolByName<T extends ToolIdentity>(tools: readonly T[], name: string): T | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name))
}
