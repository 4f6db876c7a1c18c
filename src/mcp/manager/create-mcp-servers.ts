import { ToolCallError } from '../../contract/errors.js'
import { normaliseMcpName, toMcpToolName } from '../../contract/mcp/name.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ListKind } from '../client/open-connection.js'
import type { ConfiguredServer } from '../config/server-config.js'
import { buildMcpTool } from '../tools/build-mcp-tool.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import { chooseServerParts, nameTools } from '../tools/tool-names.js'
import { DefinitionCache } from './definition-cache.js'
import { ManagedServer, type ServerState } from './managed-server.js'
import { createMcpPort } from './mcp-port.js'
import { type ServerEnvironment, StartGate } from './server-environment.js'
import type { McpPrompt } from './server-offer.js'

const MAX_CONCURRENT_STARTS = 4

export interface McpServersOptions
  extends Pick<ServerEnvironment, 'services' | 'requests' | 'version' | 'access' | 'review' | 'logFolder'> {
  readonly servers: readonly ConfiguredServer[]
  /** The folder for cached tool definitions. Without it, nothing is cached between runs. */
  readonly cacheFolder?: string | undefined
  /** Whether a server starts only when one of its tools or resources is used. */
  readonly startsOnDemand?: boolean | undefined
  /** Returns the names that server tools must not have. Return the same set while nothing changes. */
  readonly reservedNames?: () => ReadonlySet<string>
  readonly now?: () => number
  /** Called when the offer or the state of a server has changed, with the lists that may differ now. */
  readonly onChange?: (changedLists: readonly ListKind[]) => void
  readonly onProblem?: (problem: string) => void
}

/** The configured MCP servers, with their tools, prompts and resources. */
export interface McpServers {
  /** Returns the tools that can be called now. The first call starts servers as needed, but does not wait for them. */
  tools(): Tools
  prompts(): readonly McpPrompt[]
  readonly hasResources: boolean
  readonly states: readonly ServerState[]
  readonly port: McpPort
  get(name: string): ManagedServer | undefined
  /**
   * Resolves when every server has started, has failed or has fresh cached definitions. If servers start on demand,
   * resolves when the cached definitions are loaded.
   */
  settled(): Promise<void>
  /**
   * Starts the servers that may have a tool with this name and waits for them. Returns undefined if all of them are ready.
   * Rejects with the reason if the server in the tool name cannot be started, or if its tool cannot be used.
   */
  awaitTool(name: string): Promise<void> | undefined
  /**
   * Removes servers and adds others, and waits until those have started or failed. A server that stays the same is kept.
   */
  change(change: ServerChange): Promise<void>
  rootsChanged(): Promise<void>
  /** Ends all sessions and the server processes that belong to them. */
  close(): Promise<void>
}

/** A change of the set of servers. */
interface ServerChange {
  readonly removed: readonly string[]
  /** Servers to add. One with the name of an existing server replaces it. */
  readonly added: readonly ConfiguredServer[]
}

export function createMcpServers(options: McpServersOptions): McpServers {
  const { cacheFolder, now = Date.now, onProblem = () => undefined, reservedNames = () => NO_NAMES } = options
  const { startsOnDemand = false } = options
  const toolsByDefinition = new WeakMap<McpToolDefinition, Tool>()
  let tools: Tools | undefined
  /** The reserved names that `tools` was named with. They change with the permission rules. */
  let knownNames: ReadonlySet<string> | undefined
  let startPromise: Promise<void> | undefined
  /** Servers that failed before they listed their tools. They are tried again. */
  let serversWithoutOffer: readonly ManagedServer[] = []
  const environment: ServerEnvironment = {
    ...options,
    gate: new StartGate(MAX_CONCURRENT_STARTS),
    cache: cacheFolder === undefined ? undefined : new DefinitionCache(cacheFolder, now),
    now,
    onProblem,
    onChange(changedLists) {
      tools = undefined
      serversWithoutOffer = Array.from(servers.values()).filter(
        (server) => server.state.status === 'failed' && !server.offer,
      )
      options.onChange?.(changedLists)
    },
  }
  const servers = new Map<string, ManagedServer>()
  for (const server of options.servers) {
    if (servers.has(server.name))
      onProblem(`Two MCP servers have the name ${quote(server.name)}; the first one is used.`)
    else servers.set(server.name, new ManagedServer(server, environment))
  }

  function assembleTools(namesInUse: ReadonlySet<string>): Tools {
    const offers = Array.from(servers.values(), (server) => ({
      server,
      definitions: server.offer?.definitions ?? [],
    }))
    const names = nameTools(
      offers.map(({ server, definitions }) => ({
        serverName: server.name,
        toolNames: definitions.map(({ name }) => name),
        prefix: server.server.config.prefix !== false,
      })),
      namesInUse,
    )
    const assembledTools = offers.flatMap(({ server, definitions }, index) =>
      definitions.map((definition, position) =>
        getTool(server, definition, names[index]?.[position] ?? definition.name),
      ),
    )
    return isSame(lastTools, assembledTools) ? lastTools : Object.freeze(assembledTools)
  }

  let lastTools: Tools = Object.freeze([])

  /** Returns the same tool object for the same definition, so that caches keyed by tool stay valid. */
  function getTool(server: ManagedServer, definition: McpToolDefinition, shownName: string): Tool {
    const existingTool = toolsByDefinition.get(definition)
    if (existingTool?.name === shownName) return existingTool
    const tool = buildMcpTool(
      {
        serverName: server.name,
        shownAs: shownName,
        requireStructuredContent: server.server.config.requireStructuredContent,
      },
      definition,
      (args, options) => server.callTool(definition.name, args, options),
      server.findConfirmation(definition) && {
        question: () => server.findConfirmation(definition)?.question,
        accept: () => server.accept(definition),
      },
    )
    toolsByDefinition.set(definition, tool)
    return tool
  }

  async function startAll(): Promise<void> {
    // Lets the current request continue first.
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all(Array.from(servers.values(), startServer))
  }

  async function startServer(server: ManagedServer): Promise<void> {
    try {
      if (startsOnDemand) await server.load({ isFreshOnly: true })
      else if (!(await server.load())) await server.tryConnect()
    } catch (error) {
      onProblem(`The MCP server ${server.name} was not started: ${reasonOf(error)}`)
    }
  }

  function awaitTool(name: string): Promise<void> | undefined {
    const serversNotReady = Array.from(servers.values()).filter((server) => server.offer === undefined)
    const parts = chooseServerParts(Array.from(servers.keys()))
    const namedServer = serversNotReady.find((server) =>
      name.startsWith(toMcpToolName(parts.get(server.name) ?? server.name, '')),
    )
    if (namedServer !== undefined) return namedServer.ensureOffer().then(() => requireNotRefused(name, parts))
    const unprefixedServers = serversNotReady.filter(({ server }) => server.config.prefix === false)
    if (unprefixedServers.length === 0)
      return findRefusal(name, parts) === undefined
        ? undefined
        : Promise.resolve().then(() => requireNotRefused(name, parts))
    return Promise.allSettled(unprefixedServers.map((server) => server.ensureOffer())).then(() =>
      requireNotRefused(name, parts),
    )
  }

  function requireNotRefused(name: string, parts: ReadonlyMap<string, string>): void {
    const refusal = findRefusal(name, parts)
    if (refusal !== undefined) throw new ToolCallError('unavailable', refusal)
  }

  /** Explains why a tool that a server lists is not in the pool. */
  function findRefusal(name: string, parts: ReadonlyMap<string, string>): string | undefined {
    for (const server of servers.values()) {
      const prefix =
        server.server.config.prefix === false ? '' : toMcpToolName(parts.get(server.name) ?? server.name, '')
      const refusal = server.findRefusal((tool) => name === tool || name === `${prefix}${normaliseMcpName(tool)}`)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  function start(): Promise<void> {
    startPromise ??= startAll()
    return startPromise
  }

  return {
    tools() {
      if (startPromise === undefined) void start()
      else for (const server of serversWithoutOffer) void server.tryConnect()
      const namesInUse = reservedNames()
      if (tools === undefined || knownNames !== namesInUse) {
        lastTools = assembleTools(namesInUse)
        tools = lastTools
        knownNames = namesInUse
      }
      return tools
    },
    prompts: () => Array.from(servers.values()).flatMap((server) => server.offer?.prompts ?? []),
    get hasResources() {
      return Array.from(servers.values()).some((server) => server.offer?.hasResources === true)
    },
    get states() {
      return Array.from(servers.values(), (server) => server.state)
    },
    port: createMcpPort(servers),
    get: (name) => servers.get(name),
    settled: start,
    awaitTool,
    async change({ removed, added }) {
      const names = [...removed, ...added.map(({ name }) => name)]
      const oldServers = names.flatMap((name) => servers.get(name) ?? [])
      for (const { name } of oldServers) servers.delete(name)
      const newServers = added.map((server) => new ManagedServer(server, environment))
      for (const server of newServers) servers.set(server.name, server)
      environment.onChange(['tools', 'prompts', 'resources'])
      await Promise.allSettled([
        ...oldServers.map((server) => server.close()),
        // All others start with the first request.
        ...(startPromise === undefined ? [] : newServers.map(startServer)),
      ])
    },
    async rootsChanged() {
      await Promise.allSettled(Array.from(servers.values(), (server) => server.announceRootsChange()))
    },
    async close() {
      await Promise.allSettled(Array.from(servers.values(), (server) => server.close()))
    },
  }
}

const NO_NAMES: ReadonlySet<string> = new Set()

function isSame(a: Tools, b: Tools): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index])
}
