import { mcpToolName, normaliseMcpName } from '../mcp/name.js'
import type { ToolIdentity } from './identity.js'

/**
 * Tool names that rules use for a whole family of calls: a restriction on one of them binds every call that does the
 * same, no matter which tool makes it.
 */
export const RULE_FAMILIES = { commands: 'Bash', reads: 'Read', writes: 'Edit' } as const

/**
 * Every name by which a rule without content can mean this tool.
 * An MCP tool goes by its server and never by the name it is shown under: a server may choose that freely.
 */
export function ruleNamesOf(tool: ToolIdentity): readonly string[] {
  if (!tool.mcpInfo) return tool.aliases === undefined ? [tool.name] : [tool.name, ...tool.aliases]
  const { serverName, toolName } = tool.mcpInfo
  const names: string[] = []
  for (const server of spellings(serverName)) {
    names.push(`mcp__${server}`, mcpToolName(server, '*'))
    for (const name of spellings(toolName)) names.push(mcpToolName(server, name))
  }
  return names
}

function spellings(name: string): readonly string[] {
  const normalised = normaliseMcpName(name)
  return normalised === name ? [name] : [name, normalised]
}

/** What else is known to come over a protocol; a server that has not brought its tools yet has only its name. */
export interface McpNeighbour {
  readonly serverName: string
  readonly toolName?: string
}

/**
 * The names by which a rule that allows can mean this tool: none that could also mean another.
 * `mcp__a__b` is the tool `b` of `a`, never the server `a__b`, and a spelling that two servers share is neither's.
 */
export function allowNamesOf(tool: ToolIdentity, neighbours: readonly McpNeighbour[] = []): readonly string[] {
  if (!tool.mcpInfo) return ruleNamesOf(tool)
  const { serverName, toolName } = tool.mcpInfo
  if (HAS_SEAM.test(serverName)) return []
  const others = neighbours.map((each) => each.serverName)
  const servers = ownSpellings(serverName, others).filter((name) => !HAS_SEAM.test(name))
  const siblings = neighbours.flatMap((each) => (each.serverName === serverName ? (each.toolName ?? []) : []))
  const names = ownSpellings(toolName, siblings)
  return servers.flatMap((server) => [
    `mcp__${server}`,
    mcpToolName(server, '*'),
    ...names.map((name) => mcpToolName(server, name)),
  ])
}

/** Where such a name ends and the name of a tool begins cannot be told. */
const HAS_SEAM = /__|_$/

function ownSpellings(name: string, others: readonly string[]): readonly string[] {
  const normalised = normaliseMcpName(name)
  if (normalised === name) return [name]
  const isShared = others.some((other) => other !== name && normaliseMcpName(other) === normalised)
  return isShared ? [name] : [name, normalised]
}
