import { mcpToolName, normaliseMcpName } from './mcp-name.js'
import type { ToolIdentity } from './tool-identity.js'

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
