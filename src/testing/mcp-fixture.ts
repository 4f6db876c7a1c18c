import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfiguredServer, McpServerConfig } from '../mcp/config/server-config.js'
import { createMcpServers, type McpServers, type McpServersOptions } from '../mcp/manager/create-mcp-servers.js'
import { createServicePort } from '../ports/shell/create-service-port.js'

export interface McpFixture {
  readonly servers: McpServers
  readonly problems: readonly string[]
  /** A folder for the files of the servers, which `close` removes. */
  readonly folder: string
  close(): Promise<void>
}

/** Manages real MCP servers, each in its own process, for a test. */
export function openMcpServers(
  configs: Readonly<Record<string, Partial<McpServerConfig>>>,
  options: Partial<McpServersOptions> = {},
): McpFixture {
  const folder = mkdtempSync(join(tmpdir(), 'haft-mcp-test-'))
  const services = createServicePort(process.env)
  const problems: string[] = []
  const servers = createMcpServers({
    servers: Object.entries(configs).map(([name, config]) => createConfiguredServer(name, config)),
    services,
    requests: {},
    version: '0.0.0',
    logFolder: join(folder, 'logs'),
    onProblem: (problem) => problems.push(problem),
    ...options,
  })
  return {
    servers,
    problems,
    folder,
    async close() {
      await servers.close()
      await services.dispose()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function createConfiguredServer(name: string, config: Partial<McpServerConfig>): ConfiguredServer {
  const fullConfig =
    'url' in config ? { type: 'http', headers: {}, ...config } : { type: 'stdio', args: [], env: {}, ...config }
  return { name, config: fullConfig as McpServerConfig, source: 'library', approved: true }
}

/** An MCP server from this repository's development dependencies, over stdio. */
export function getPackagedServer(name: string, ...args: string[]): Partial<McpServerConfig> {
  return { command: process.execPath, args: [`node_modules/@modelcontextprotocol/${name}/dist/index.js`, ...args] }
}
