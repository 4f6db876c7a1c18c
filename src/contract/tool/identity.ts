/** How a tool is named and found. */
export interface ToolIdentity {
  readonly name: string
  /** Old names that keep working. */
  readonly aliases?: readonly string[]
  /** Three to ten words for tool search. */
  readonly searchHint?: string
  readonly isMcp?: boolean
  readonly isLsp?: boolean
  readonly mcpInfo?: McpInfo
}

/** The names of the server and of its tool that an MCP tool calls, as the server writes them. */
export interface McpInfo {
  readonly serverName: string
  readonly toolName: string
}

/** When the schema of a tool is sent to the model. */
export interface ToolLoading {
  /** Only announce the name; tool search loads the schema. */
  readonly shouldDefer?: boolean
  /** Never defer. Overrides `shouldDefer`. */
  readonly alwaysLoad?: boolean
}

/**
 * Roles that other parts of the system look for in a pool. A tool declares its own roles, so that no code outside its
 * folder depends on its name.
 */
export interface ToolRoles {
  /** Finds and loads deferred tools. Never deferred itself; without such a tool in the pool nothing is deferred. */
  readonly findsTools?: boolean
  /** Starts sub-agents. Agents at the maximum depth do not get it. */
  readonly startsAgents?: boolean
  /** Loads skills. Skills are announced only while such a tool is in the pool. */
  readonly loadsSkills?: boolean
  /** Reads the output of background tasks. Without it a command cannot continue in the background. */
  readonly readsTasks?: boolean
  /** Works on resources of MCP servers. Offered only while a server has resources. */
  readonly readsMcpResources?: boolean
  /** Submits the plan of plan mode to the user for approval. */
  readonly submitsPlan?: boolean
  /** Acts on the main conversation, for example on its plan or its final answer. Sub-agents do not get it. */
  readonly mainAgentOnly?: boolean
  /** Results stay in the conversation when old results are cleared. */
  readonly keepsResults?: boolean
  /** Sends text or files directly to the user. Files need a connected bridge. */
  readonly userChannel?: 'text' | 'files'
  readonly modes?: ToolModes
  /** Programs without which the tool is not offered. */
  readonly requiredPrograms?: readonly string[]
}

/** How the modes of a session treat a built-in tool. A tool that declares none is offered only in full mode. */
export interface ToolModes {
  /** Offered in simple mode. */
  readonly simple?: boolean
  /** Offered to an agent that plans, delegates and reads results, but does no work itself. */
  readonly coordinating?: boolean
  /** Like `coordinating`, and such an agent is also offered it in simple mode. */
  readonly delegating?: boolean
  /** `runs`: executes code that calls the `hidden` tools; the model does not get those in REPL mode. */
  readonly repl?: 'runs' | 'hidden'
  /** Not in the default pool; added only when it is needed. */
  readonly onDemand?: boolean
}

/** The names that model providers accept. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Whether a tool comes from an MCP server. Either `isMcp` or `mcpInfo` is enough: in doubt the tool is not trusted. */
export function isMcpTool(tool: ToolIdentity): boolean {
  return tool.isMcp === true || (tool.mcpInfo ?? undefined) !== undefined
}

/** Whether a name is the name or an alias of a tool. */
export function toolMatchesName(tool: ToolIdentity, name: string): boolean {
  return tool.name === name || (tool.aliases?.includes(name) ?? false)
}

/** Finds a tool by name or alias. Names take precedence, so that an alias cannot take over another tool. */
export function findToolByName<T extends ToolIdentity>(tools: readonly T[], name: string): T | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name))
}
