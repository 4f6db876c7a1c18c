import type { McpServerOption } from '../../mcp/config/server-config.js'
import { createMcpServers, type McpServers, type McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'
import { createServicePort } from '../../ports/shell/create-service-port.js'
import { version } from '../../shared/version.js'
import { type McpSetup, readMcpSetup } from './mcp-setup.js'

/** Options of `connectMcpServers`. */
export interface ConnectOptions extends Partial<Omit<McpServersOptions, 'servers' | 'services' | 'version'>> {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The working directory of servers whose configuration sets none. */
  readonly cwd?: string
}

/** Connects to MCP servers without a runtime. `close` ends the servers and all processes that they started. */
export function connectMcpServers(
  servers: Readonly<Record<string, McpServerOption>> | McpSetup,
  { env = process.env, cwd, ...options }: ConnectOptions = {},
): McpServers {
  const services = createServicePort(env, cwd)
  const mcpServers = createMcpServers({ requests: {}, ...options, ...readMcpSetup(servers), services, version })
  return {
    ...mcpServers,
    get hasResources() {
      return mcpServers.hasResources
    },
    get states() {
      return mcpServers.states
    },
    async close() {
      await mcpServers.close()
      await services.dispose()
    },
  }
}
