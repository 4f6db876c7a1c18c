import { normaliseMcpName, toMcpToolName } from '../mcp/name.js'
import type { ToolIdentity } from './identity.js'

/**
 * Tool names that rules use for a whole family of calls: a restriction on one of them binds every call that does the
 * same, no matter which tool makes it.
 */
export const RULE_FAMILIES = { commands: 'Bash', reads: 'Read', writes: 'Edit' } as const

/**
 * Returns every name that a rule can use for this tool. An MCP tool is named by its server, never by the name that the
 * model sees, because the server chooses that name.
 */
export function ruleNamesOf(tool: ToolIdentity): readonly string[] {
  if (!tool.mcpInfo) return tool.aliases === undefined ? [tool.name] : [tool.name, ...tool.aliases]
  const { serverName, toolName } = tool.mcpInfo
  const names: string[] = []
  for (const server of listSpellings(serverName)) {
    names.push(`mcp__${server}`, toMcpToolName(server, '*'))
    for (const name of listSpellings(toolName)) names.push(toMcpToolName(server, name))
  }
  return names
}

function listSpellings(name: string): readonly string[] {
  const normalisedName = normaliseMcpName(name)
  return normalisedName === name ? [name] : [name, normalisedName]
}

/** The tools and servers whose names an allow rule could mean as well. */
export interface McpNeighbours {
  readonly tools: readonly ToolIdentity[]
  /** All servers, including those whose tools are not known yet. */
  readonly servers: readonly { readonly name: string }[]
}

const NO_NEIGHBOURS: McpNeighbours = { tools: [], servers: [] }

/**
 * Returns the names that an allow rule can use for this tool: only unambiguous ones. `mcp__a__b` is the tool `b` of the
 * server `a`, never the server `a__b`, and a normalised spelling that two servers share means neither of them.
 */
export function allowNamesOf(tool: ToolIdentity, neighbours: McpNeighbours = NO_NEIGHBOURS): readonly string[] {
  if (!tool.mcpInfo) return ruleNamesOf(tool)
  const { serverName, toolName } = tool.mcpInfo
  if (SERVER_SEPARATOR.test(serverName)) return []
  const servers = listPlainSpellings(serverName, (normalisedName) => [
    ...(indexMcpTools(neighbours.tools).servers.get(normalisedName) ?? []),
    ...neighbours.servers.map(({ name }) => name).filter((name) => normaliseMcpName(name) === normalisedName),
  ]).filter((name) => !SERVER_SEPARATOR.test(name))
  const names = listPlainSpellings(
    toolName,
    (normalisedName) => indexMcpTools(neighbours.tools).tools.get(toToolKey(serverName, normalisedName)) ?? [],
  )
  return servers.flatMap((server) => [
    `mcp__${server}`,
    toMcpToolName(server, '*'),
    ...names.map((name) => toMcpToolName(server, name)),
  ])
}

/** Server names that match make it ambiguous where the server name ends and the tool name begins. */
const SERVER_SEPARATOR = /__|_$/

/** `listSharing` returns the known names with a normalised spelling. It is called only for names that need one. */
function listPlainSpellings(
  name: string,
  listSharing: (normalisedName: string) => Iterable<string>,
): readonly string[] {
  const normalisedName = normaliseMcpName(name)
  if (normalisedName === name) return [name]
  for (const other of listSharing(normalisedName)) if (other !== name) return [name]
  return [name, normalisedName]
}

/** The names of servers and tools by their normalised spelling. The keys of tools are those of `toToolKey`. */
interface McpToolIndex {
  readonly servers: ReadonlyMap<string, ReadonlySet<string>>
  readonly tools: ReadonlyMap<string, ReadonlySet<string>>
}

const indexesByPool = new WeakMap<readonly ToolIdentity[], McpToolIndex>()

/** Returns the index of a pool, which is built once for a frozen pool: the cost of a call must not depend on its size. */
function indexMcpTools(pool: readonly ToolIdentity[]): McpToolIndex {
  const cachedIndex = indexesByPool.get(pool)
  if (cachedIndex !== undefined) return cachedIndex
  const servers = new Map<string, Set<string>>()
  const tools = new Map<string, Set<string>>()
  for (const { mcpInfo } of pool) {
    if (!mcpInfo) continue
    const { serverName, toolName } = mcpInfo
    addTo(servers, normaliseMcpName(serverName), serverName)
    addTo(tools, toToolKey(serverName, normaliseMcpName(toolName)), toolName)
  }
  const index = { servers, tools }
  if (Object.isFrozen(pool)) indexesByPool.set(pool, index)
  return index
}

function toToolKey(serverName: string, normalisedName: string): string {
  return `${serverName}\0${normalisedName}`
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}
