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

/** A known MCP tool, or only its server if the tools of the server are not known yet. */
export interface KnownMcpTool {
  readonly serverName: string
  readonly toolName?: string
}

/**
 * Returns the names that an allow rule can use for this tool: only unambiguous ones. `mcp__a__b` is the tool `b` of the
 * server `a`, never the server `a__b`, and a normalised spelling that two servers share means neither of them.
 */
export function allowNamesOf(tool: ToolIdentity, neighbours: readonly KnownMcpTool[] = []): readonly string[] {
  if (!tool.mcpInfo) return ruleNamesOf(tool)
  const { serverName, toolName } = tool.mcpInfo
  if (SERVER_SEPARATOR.test(serverName)) return []
  const serverNames = neighbours.map((neighbour) => neighbour.serverName)
  const servers = listPlainSpellings(serverName, serverNames).filter((name) => !SERVER_SEPARATOR.test(name))
  const siblings = neighbours.flatMap((neighbour) =>
    neighbour.serverName === serverName ? (neighbour.toolName ?? []) : [],
  )
  const names = listPlainSpellings(toolName, siblings)
  return servers.flatMap((server) => [
    `mcp__${server}`,
    toMcpToolName(server, '*'),
    ...names.map((name) => toMcpToolName(server, name)),
  ])
}

/** Server names that match make it ambiguous where the server name ends and the tool name begins. */
const SERVER_SEPARATOR = /__|_$/

function listPlainSpellings(name: string, otherNames: readonly string[]): readonly string[] {
  const normalisedName = normaliseMcpName(name)
  if (normalisedName === name) return [name]
  const isShared = otherNames.some((other) => other !== name && normaliseMcpName(other) === normalisedName)
  return isShared ? [name] : [name, normalisedName]
}
