import { mcpToolName, normaliseMcpName } from '../../contract/mcp/name.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { McpClientState, SlashCommand } from '../../contract/tool/context.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { ConfiguredServer } from '../../mcp/config/server-config.js'
import type { McpServers, McpServersOptions } from '../../mcp/manager/create-mcp-servers.js'
import { reasonOf } from '../../shared/reason-of.js'
import { onDemand } from '../machine/on-demand.js'

/** The servers of one runtime. Nothing of them is loaded before the first request has gone out. */
export interface RuntimeMcp {
  readonly port: McpPort
  /** Tools of servers that have come up, and those that only make sense with such a server. */
  tools(): Tools
  /** Prompts of servers, as commands. */
  commands(): readonly SlashCommand[]
  states(): readonly McpClientState[]
  /** Resolves when the servers that a tool of this name would be of have come up; undefined where none could be meant. */
  awaitTool(name: string): Promise<void> | undefined
  open(): Promise<McpServers>
  dispose(): Promise<void>
}

export interface RuntimeMcpOptions extends Omit<McpServersOptions, 'services' | 'onChange'> {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Where servers run whose configuration does not say it. */
  readonly cwd: string
  /** Tools for resources, which are offered where a server has some. */
  readonly resourceTools: Tools
  /** What the working folders follow from: while it is the same object, so are they. */
  readonly rootsBasis: () => object
}

export function openRuntimeMcp(options: RuntimeMcpOptions): RuntimeMcp {
  const opened = onDemand(() => open(options))
  let known: { readonly tools: Tools; readonly all: Tools } | undefined
  let basis: object | undefined
  let isDisposed = false
  const hasUnprefixed = options.servers.some(({ config }) => config.prefix === false)

  const reportFailure = (error: unknown): void => options.onProblem?.(`MCP servers cannot be used: ${reasonOf(error)}`)

  function tellRoots(servers: McpServers): void {
    const now = options.rootsBasis()
    if (basis !== undefined && basis !== now) void servers.rootsChanged()
    basis = now
  }

  return {
    port: {
      callTool: async (...call) => (await opened.open()).servers.port.callTool(...call),
      listResources: async (server) => (await opened.open()).servers.port.listResources(server),
      readResource: async (server, uri) => (await opened.open()).servers.port.readResource(server, uri),
    },
    tools() {
      if (isDisposed) return NO_TOOLS
      const servers = opened.opened?.servers
      if (servers === undefined) {
        // The request that asks goes first.
        setImmediate(() => {
          if (!isDisposed) opened.open().then(({ servers: loaded }) => loaded.tools(), reportFailure)
        })
        return NO_TOOLS
      }
      tellRoots(servers)
      const tools = servers.tools()
      if (!servers.hasResources) return tools
      if (known?.tools !== tools) known = { tools, all: Object.freeze([...tools, ...options.resourceTools]) }
      return known.all
    },
    commands: () => opened.opened?.servers.prompts().map(asCommand) ?? [],
    states: () => opened.opened?.servers.states ?? options.servers.map(notYet),
    awaitTool(name) {
      if (isDisposed || !(name.startsWith(MCP_PREFIX) || hasUnprefixed)) return undefined
      return opened.open().then(({ servers }) => servers.awaitTool(name))
    },
    open: async () => (await opened.open()).servers,
    async dispose() {
      isDisposed = true
      await (await opened.whenOpened())?.close()
    },
  }
}

const MCP_PREFIX = 'mcp__'
const NO_TOOLS: Tools = Object.freeze([])

async function open(options: RuntimeMcpOptions) {
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

function asCommand({ server, name, description }: ReturnType<McpServers['prompts']>[number]): SlashCommand {
  return { name: mcpToolName(normaliseMcpName(server), normaliseMcpName(name)), description }
}

function notYet({ name, config, approved }: ConfiguredServer): McpClientState {
  return { name, status: config.disabled === true || !approved ? 'disabled' : 'pending' }
}
