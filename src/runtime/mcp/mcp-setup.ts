import { type ConfiguredServer, configureLibraryServers, type McpServerOption } from '../../mcp/config/server-config.js'
import type { McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'

/** MCP servers as read from settings files, with the options for managing them. */
export interface McpSetup
  extends Pick<McpServersOptions, 'access' | 'review' | 'cacheFolder' | 'logFolder' | 'startsOnDemand' | 'onProblem'> {
  readonly servers: readonly ConfiguredServer[]
}

export function readMcpSetup(option: Readonly<Record<string, McpServerOption>> | McpSetup): McpSetup {
  return isSetup(option) ? option : { servers: configureLibraryServers(option) }
}

/** Whether the option is a setup. A server may be named `servers`, but its configuration is never an array. */
function isSetup(option: Readonly<Record<string, McpServerOption>> | McpSetup): option is McpSetup {
  return Array.isArray(option.servers)
}
