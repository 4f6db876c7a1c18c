import type { McpServerOption } from '../../mcp/config/server-config.js'
import { createMcpServers, type McpServers, type McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'
import { createServicePort } from '../../ports/shell/create-service-port.js'
import { version } from '../../shared/version.js'
import { type McpSetup, readMcpSetup } from './mcp-setup.js'

export interface ConnectOptions extends Partial<Omit<McpServersOptions, 'servers' | 'services' | 'version'>> {
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Where servers run whose configuration does not say it. */
  readonly cwd?: string
}

/** MCP servers without a runtime around them, for whoever has a use for them. `close` ends them and all they started. */
export function connectMcpServers(
  servers: Readonly<Record<string, McpServerOption>> | McpSetup,
  { env = process.env, cwd, ...options }: ConnectOptions = {},
): McpServers {
  const services = createServicePort(env, cwd)
  const connected = createMcpServers({ requests: {}, ...options, ...readMcpSetup(servers), services, version })
  return {
    ...connected,
    get hasResources() {
      return connected.hasResources
    },
    get states() {
      return connected.states
    },
    async close() {
      await connected.close()
      await services.dispose()
    },
  }
}
