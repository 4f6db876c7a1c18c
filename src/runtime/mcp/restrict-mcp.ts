import { filterToolsByDenyRules } from '../../assembly/filter-tools-by-deny-rules.js'
import { ToolCallError } from '../../contract/errors.js'
import type { RulesBySource, ToolPermissionContext } from '../../contract/permission/context.js'
import type { McpPort } from '../../contract/ports/mcp.js'

/** Applies deny and ask rules for a server also to its resources, whichever tool reads them. */
export function restrictMcp(port: McpPort, permissions: () => ToolPermissionContext): McpPort {
  const matches = (rules: RulesBySource, serverName: string, toolName = ''): boolean => {
    const tool = { name: serverName, isMcp: true, mcpInfo: { serverName, toolName } }
    return filterToolsByDenyRules([tool], { alwaysDenyRules: rules }).length === 0
  }
  const isDenied = (server: string, tool?: string): boolean => matches(permissions().alwaysDenyRules, server, tool)
  const requireNotDenied = (server: string, tool?: string): void => {
    if (isDenied(server, tool)) {
      throw new ToolCallError(
        'permission_denied',
        `A permission rule denies this request to the MCP server ${server}. Work without it.`,
      )
    }
  }
  return {
    mustAskAbout: (server) => matches(permissions().alwaysAskRules, server),
    async callTool(server, tool, ...otherArguments) {
      requireNotDenied(server, tool)
      return port.callTool(server, tool, ...otherArguments)
    },
    async listResources(server) {
      if (server !== undefined) requireNotDenied(server)
      return (await port.listResources(server)).filter((resource) => !isDenied(resource.server))
    },
    async readResource(server, uri) {
      requireNotDenied(server)
      return port.readResource(server, uri)
    },
  }
}
