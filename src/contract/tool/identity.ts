/** How a tool is named and found. */
export interface ToolIdentity {
  readonly name: string
  /** Old names that keep working. */
  readonly aliases?: readonly string[]
  /** Similar tools of other agents, which models know. A call of one becomes a call of this tool if no tool has the name. */
  readonly foreignNames?: ForeignNames
  /** Three to ten words for tool search. */
  readonly searchHint?: string
  readonly isMcp?: boolean
  readonly isLsp?: boolean
  readonly mcpInfo?: McpInfo
}

/** Names of similar tools, with how their input becomes an input of this tool. */
export type ForeignNames = Readonly<Record<string, ConvertForeignInput>>

/** Returns undefined if the tool cannot do what the input asks for. */
export type ConvertForeignInput = (
  input: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>> | undefined

/** The names of the server and of its tool that an MCP tool calls, as the server writes them. */
export interface McpInfo {
  readonly serverName: string
  readonly toolName: string
}

/** When the schema of a tool is sent to the model. */
export interface ToolLoading {
  /** Whether only the name is announced, and tool search loads the schema. */
  readonly shouldDefer?: boolean
  /** Whether most sessions need the tool, so that deferring it costs more than sending it. */
  readonly isOftenNeeded?: boolean
  /** Whether the tool is never deferred. Overrides `shouldDefer`. */
  readonly alwaysLoad?: boolean
}

/**
 * Roles that other parts of the system look for in a pool. A tool declares its own roles, so that no code outside its
 * folder depends on its name.
 */
export interface ToolRoles {
  /**
   * Whether the tool finds and loads deferred tools. It is never deferred itself; without such a tool in the pool nothing is
   * deferred.
   */
  readonly findsTools?: boolean
  /** Whether the tool starts sub-agents. Agents at the maximum depth do not get it. */
  readonly startsAgents?: boolean
  /** Whether the tool sends messages to teammates. Every member of a team gets it. */
  readonly messagesTeammates?: boolean
  /** Whether the tool loads skills. Skills are announced only while such a tool is in the pool. */
  readonly loadsSkills?: boolean
  /** Whether the tool reads the output of background tasks. Without it a command cannot continue in the background. */
  readonly readsTasks?: boolean
  /** Whether the tool works on resources of MCP servers. It is offered only while a server has resources. */
  readonly readsMcpResources?: boolean
  /** How the tool changes text in files. A model gets only the tools of the format that it knows best. */
  readonly editFormat?: EditFormat
  /** Whether the tool submits the plan of plan mode to the user for approval. */
  readonly submitsPlan?: boolean
  /** Whether the tool acts on the main conversation, for example on its plan or its final answer. Sub-agents do not get it. */
  readonly mainAgentOnly?: boolean
  /** Whether results stay in the conversation when old results are cleared. */
  readonly keepsResults?: boolean
  /** Sends text or files directly to the user. Files need a connected bridge. */
  readonly userChannel?: 'text' | 'files'
  readonly modes?: ToolModes
  /** Programs without which the tool is not offered. */
  readonly requiredPrograms?: readonly string[]
}

/** `strings` replaces exact text, `patch` applies a patch. */
export type EditFormat = 'strings' | 'patch'

/** How the modes of a session treat a built-in tool. A tool that declares none is offered only in full mode. */
export interface ToolModes {
  /** Whether the tool is offered in simple mode. */
  readonly simple?: boolean
  /** Whether the tool is offered to an agent that plans, delegates and reads results, but does no work itself. */
  readonly coordinating?: boolean
  /** Like `coordinating`, but such an agent is also offered the tool in simple mode. */
  readonly delegating?: boolean
  /** `runs`: executes code that calls the `hidden` tools; the model does not get those in REPL mode. */
  readonly repl?: 'runs' | 'hidden'
  /** Whether the tool is not in the default pool and added only when it is needed. */
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
  const index = indexesByPool.get(tools) ?? (Object.isFrozen(tools) ? indexByName(tools) : undefined)
  // The index of a pool contains only tools of that pool.
  if (index !== undefined) return index.get(name) as T | undefined
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.aliases?.includes(name))
}

const indexesByPool = new WeakMap<readonly ToolIdentity[], ReadonlyMap<string, ToolIdentity>>()

/** Indexes a frozen pool, once: the cost of a call must not depend on the number of tools. */
function indexByName(tools: readonly ToolIdentity[]): ReadonlyMap<string, ToolIdentity> {
  const toolsByName = new Map<string, ToolIdentity>()
  for (const tool of tools) if (!toolsByName.has(tool.name)) toolsByName.set(tool.name, tool)
  for (const tool of tools)
    for (const alias of tool.aliases ?? []) if (!toolsByName.has(alias)) toolsByName.set(alias, tool)
  indexesByPool.set(tools, toolsByName)
  return toolsByName
}
