import { filterToolsByDenyRules } from '../../assembly/filter-tools-by-deny-rules.js'
import { ToolCallError } from '../../contract/errors.js'
import type { ToolPermissionContext } from '../../contract/permission-context.js'
import type { McpPort } from '../../contract/ports/mcp.js'

/** A rule that denies a server denies its resources, too, whichever tool asks for them. */
export function obeyDenyRules(port: McpPort, permissions: () => ToolPermissionContext): McpPort {
  const isDenied = (serverName: string, toolName = ''): boolean => {
    const tool = { name: serverName, isMcp: true, mcpInfo: { serverName, toolName } }
    return filterToolsByDenyRules([tool], permissions()).length === 0
  }
  const check = (server: string, tool?: string): void => {
    if (isDenied(server, tool)) {
      throw new ToolCallError('permission_denied', `The MCP server ${server} is denied by a rule. Work without it.`)
    }
  }
  return {
    async callTool(server, tool, ...rest) {
      check(server, tool)
      return port.callTool(server, tool, ...rest)
    },
    async listResources(server) {
      if (server !== undefined) check(server)
      return (await port.listResources(server)).filter((resource) => !isDenied(resource.server))
    },
    async readResource(server, uri) {
      check(server)
      return port.readResource(server, uri)
    },
  }
}
