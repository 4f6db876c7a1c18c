import { type ConfiguredServer, libraryServers, type McpServerOption } from '../../mcp/config/server-config.js'
import type { McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'

/** Servers whose configuration was read from files, with what goes with it. */
export interface McpSetup
  extends Pick<McpServersOptions, 'access' | 'review' | 'cacheFolder' | 'logFolder' | 'startsOnDemand' | 'onProblem'> {
  readonly servers: readonly ConfiguredServer[]
}

export function readMcpSetup(given: Readonly<Record<string, McpServerOption>> | McpSetup): McpSetup {
  return isSetup(given) ? given : { servers: libraryServers(given) }
}

/** A server may be called `servers`, but none is a list. */
function isSetup(given: Readonly<Record<string, McpServerOption>> | McpSetup): given is McpSetup {
  return Array.isArray(given.servers)
}
