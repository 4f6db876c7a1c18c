import { normaliseMcpName, toMcpToolName } from '../../contract/mcp/name.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { McpClientState, SlashCommand } from '../../contract/tool/context.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { ConfiguredServer } from '../../mcp/config/server-config.js'
import type { McpServers, McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'
import { reasonOf } from '../../shared/reason-of.js'
import { OnDemand } from '../machine/on-demand.js'

/** The MCP servers of one runtime. Their code is loaded after the first request was sent. */
export interface RuntimeMcp {
  readonly port: McpPort
  /** Returns the tools of connected servers, and the tools for MCP resources if a server has resources. */
  tools(): Tools
  /** Returns the prompts of servers, as slash commands. */
  commands(): readonly SlashCommand[]
  states(): readonly McpClientState[]
  /** Resolves when the servers that could provide a tool of this name are connected; undefined if no server could. */
  awaitTool(name: string): Promise<void> | undefined
  open(): Promise<McpServers>
  dispose(): Promise<void>
}

export interface RuntimeMcpOptions extends Omit<McpServersOptions, 'services' | 'onChange'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working directory of servers whose configuration sets none. */
  readonly cwd: string
  /** Tools for MCP resources, offered if a server has resources. */
  readonly resourceTools: Tools
  /** The object that the working folders are derived from. They are unchanged while it is the same object. */
  readonly rootsBasis: () => object
}

export function openRuntimeMcp(options: RuntimeMcpOptions): RuntimeMcp {
  const connection = new OnDemand(() => openServers(options))
  let cached: { readonly tools: Tools; readonly all: Tools } | undefined
  let lastBasis: object | undefined
  let isDisposed = false
  const hasUnprefixedServer = options.servers.some(({ config }) => config.prefix === false)

  const reportFailure = (error: unknown): void => options.onProblem?.(`MCP servers cannot be used: ${reasonOf(error)}`)

  function announceRoots(servers: McpServers): void {
    const currentBasis = options.rootsBasis()
    if (lastBasis !== undefined && lastBasis !== currentBasis) void servers.rootsChanged()
    lastBasis = currentBasis
  }

  return {
    port: {
      callTool: async (...call) => (await connection.open()).servers.port.callTool(...call),
      listResources: async (server) => (await connection.open()).servers.port.listResources(server),
      readResource: async (server, uri) => (await connection.open()).servers.port.readResource(server, uri),
    },
    tools() {
      if (isDisposed) return NO_TOOLS
      const servers = connection.opened?.servers
      // A session that a program drives may get its servers later.
      if (servers === undefined && options.servers.length === 0) return NO_TOOLS
      if (servers === undefined) {
        // Deferred, so that the current request is sent first.
        setImmediate(() => {
          if (!isDisposed) connection.open().then(({ servers: loaded }) => loaded.tools(), reportFailure)
        })
        return NO_TOOLS
      }
      announceRoots(servers)
      const tools = servers.tools()
      if (!servers.hasResources) return tools
      if (cached?.tools !== tools) cached = { tools, all: Object.freeze([...tools, ...options.resourceTools]) }
      return cached.all
    },
    commands: () => connection.opened?.servers.prompts().map(toCommand) ?? [],
    states: () => connection.opened?.servers.states ?? options.servers.map(describeStateBeforeStart),
    awaitTool(name) {
      if (isDisposed || !(name.startsWith(MCP_PREFIX) || hasUnprefixedServer)) return undefined
      return connection.open().then(({ servers }) => servers.awaitTool(name))
    },
    open: async () => (await connection.open()).servers,
    async dispose() {
      isDisposed = true
      await (await connection.getIfRequested())?.close()
    },
  }
}

const MCP_PREFIX = 'mcp__'
const NO_TOOLS: Tools = Object.freeze([])

async function openServers(options: RuntimeMcpOptions) {
  const [{ createMcpServers }, { createServicePort }] = await Promise.all([
    import('../../mcp/manager/create-mcp-servers.js'),
    import('../../ports/shell/create-service-port.js'),
  ])
  const services = createServicePort(options.environment, options.cwd)
  const servers = createMcpServers({ ...options, services })
  return {
    servers,
    async close() {
      await servers.close()
      await services.dispose()
    },
  }
}

function toCommand({ server, name, description }: ReturnType<McpServers['prompts']>[number]): SlashCommand {
  return { name: toMcpToolName(normaliseMcpName(server), normaliseMcpName(name)), description }
}

function describeStateBeforeStart({ name, config, approved }: ConfiguredServer): McpClientState {
  return { name, status: config.disabled === true || !approved ? 'disabled' : 'pending' }
}
