import { mcpToolName } from '../../contract/mcp/name.js'
import type { McpPort } from '../../contract/ports/mcp.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { ConfiguredServer } from '../config/server-config.js'
import { buildMcpTool } from '../tools/build-mcp-tool.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import { nameTools, serverParts } from '../tools/tool-names.js'
import { DefinitionCache } from './definition-cache.js'
import { ManagedServer, type ServerState } from './managed-server.js'
import { createMcpPort } from './mcp-port.js'
import { type ServerWorld, StartGate } from './server-environment.js'
import type { McpPrompt } from './server-offer.js'

const MOST_STARTING = 4

export interface McpServersOptions
  extends Pick<ServerWorld, 'services' | 'requests' | 'version' | 'access' | 'review' | 'logFolder'> {
  readonly servers: readonly ConfiguredServer[]
  /** Where definitions are kept between runs; left out, they are not. */
  readonly cacheFolder?: string | undefined
  /** Starts no server before somebody wants something of it. */
  readonly startsWhenNamed?: boolean | undefined
  /** Names that no tool of a server may have. */
  readonly reservedNames?: ReadonlySet<string>
  readonly now?: () => number
  readonly onChange?: () => void
  readonly onProblem?: (problem: string) => void
}

/** A set of MCP servers. */
export interface McpServers {
  /** The tools that can be called now. The first question starts what has to be started, and no question waits for it. */
  tools(): Tools
  prompts(): readonly McpPrompt[]
  readonly hasResources: boolean
  readonly states: readonly ServerState[]
  readonly port: McpPort
  get(name: string): ManagedServer | undefined
  /** Resolves when every server has been tried, well or badly. */
  settled(): Promise<void>
  /**
   * Has the servers come up that a tool of this name would be of. Undefined where there is none, or where all have said
   * what they have; fails with the reason of the one that is named and cannot.
   */
  awaitTool(name: string): Promise<void> | undefined
  rootsChanged(): Promise<void>
  /** Ends all sessions; the processes end with the services that they were started by. */
  close(): Promise<void>
}

export function createMcpServers(options: McpServersOptions): McpServers {
  const { cacheFolder, now = Date.now, onProblem = () => undefined, reservedNames = new Set<string>() } = options
  const { startsWhenNamed = false } = options
  const made = new WeakMap<McpToolDefinition, Tool>()
  let tools: Tools | undefined
  let starting: Promise<void> | undefined
  /** Servers that failed before they could say what they have. */
  let lacking: readonly ManagedServer[] = []
  const world: ServerWorld = {
    ...options,
    gate: new StartGate(MOST_STARTING),
    cache: cacheFolder === undefined ? undefined : new DefinitionCache(cacheFolder, now),
    now,
    onProblem,
    onChange() {
      tools = undefined
      lacking = Array.from(servers.values()).filter((server) => server.state.status === 'failed' && !server.offer)
      options.onChange?.()
    },
  }
  const servers = new Map<string, ManagedServer>()
  for (const server of options.servers) {
    if (servers.has(server.name)) onProblem(`There are two MCP servers ${quote(server.name)}; the first is used.`)
    else servers.set(server.name, new ManagedServer(server, world))
  }

  function assemble(): Tools {
    const offering = Array.from(servers.values(), (server) => ({
      server,
      definitions: server.offer?.definitions ?? [],
    }))
    const names = nameTools(
      offering.map(({ server, definitions }) => ({
        serverName: server.name,
        toolNames: definitions.map(({ name }) => name),
        prefix: server.server.config.prefix !== false,
      })),
      reservedNames,
    )
    const assembled = offering.flatMap(({ server, definitions }, index) =>
      definitions.map((definition, place) => toolOf(server, definition, names[index]?.[place] ?? definition.name)),
    )
    return isSame(last, assembled) ? last : Object.freeze(assembled)
  }

  let last: Tools = Object.freeze([])

  /** The same tool for the same definition, so that whoever keeps something about it need not learn it again. */
  function toolOf(server: ManagedServer, definition: McpToolDefinition, shownAs: string): Tool {
    const known = made.get(definition)
    if (known?.name === shownAs) return known
    const tool = buildMcpTool(
      { serverName: server.name, shownAs },
      definition,
      (args, how) => server.callTool(definition.name, args, how),
      server.doubt(definition) && {
        question: () => server.doubt(definition)?.question,
        accept: () => server.accept(definition),
      },
    )
    made.set(definition, tool)
    return tool
  }

  async function startAll(): Promise<void> {
    // The request that asked goes first.
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all(Array.from(servers.values(), startOne))
  }

  async function startOne(server: ManagedServer): Promise<void> {
    try {
      if (startsWhenNamed) await server.load({ onlyFresh: true })
      else if (!(await server.load())) await server.begin()
    } catch (error) {
      onProblem(`The MCP server ${server.name} was not started: ${reasonOf(error)}`)
    }
  }

  function awaitTool(name: string): Promise<void> | undefined {
    const coming = Array.from(servers.values()).filter((server) => server.offer === undefined)
    const parts = serverParts(Array.from(servers.keys()))
    const named = coming.find((server) => name.startsWith(mcpToolName(parts.get(server.name) ?? server.name, '')))
    if (named !== undefined) return named.come()
    const unprefixed = coming.filter(({ server }) => server.config.prefix === false)
    if (unprefixed.length === 0) return undefined
    return Promise.allSettled(unprefixed.map((server) => server.come())).then(() => undefined)
  }

  function start(): Promise<void> {
    starting ??= startAll()
    return starting
  }

  return {
    tools() {
      if (starting === undefined) void start()
      else for (const server of lacking) void server.begin()
      if (tools === undefined) {
        last = assemble()
        tools = last
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
    async rootsChanged() {
      await Promise.allSettled(Array.from(servers.values(), (server) => server.rootsChanged()))
    },
    async close() {
      await Promise.allSettled(Array.from(servers.values(), (server) => server.close()))
    },
  }
}

function isSame(a: Tools, b: Tools): boolean {
  return a.length === b.length && a.every((tool, index) => tool === b[index])
}
