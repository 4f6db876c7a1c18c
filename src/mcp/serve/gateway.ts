import type { Implementation } from '@modelcontextprotocol/server'
import type { Tool } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'
import { isDoneWithin } from '../../shared/waiting.js'
import { WaitingCalls } from './client-call.js'
import { type ClientRuntime, ClientRuntimes } from './client-runtimes.js'
import type { Clients } from './clients.js'
import { listTools, type ServedRuntime } from './listed-tools.js'
import type { OriginalOutputs } from './original-outputs.js'
import type { ResultPages } from './result-pages.js'
import { UpstreamPrompts } from './upstream-prompts.js'
import { UpstreamResources } from './upstream-resources.js'
import { connectServersWith, type UpstreamServers } from './upstream-servers.js'

export interface GatewayOptions {
  readonly info: Implementation
  readonly runtime: ServedRuntime
  /** Creates the runtime of one client; omitted if there is only one. */
  readonly forkRuntime?: () => ClientRuntime
  readonly outputs: OriginalOutputs
  readonly pages: ResultPages
  readonly clients: Clients
  /** Omitted if no servers are configured. */
  readonly upstream?: UpstreamServers
  /** Whether to list only the search tool, `CallTool` and always-loaded tools. */
  readonly isGateway: boolean
  readonly countTokens: (text: string) => number
}

/** How long a client's request waits for servers that are still starting. */
const MAX_START_WAIT_MS = 5_000

/** The shared state from which all clients are served. */
export class Gateway {
  readonly info: Implementation
  readonly runtimes: ClientRuntimes
  readonly outputs: OriginalOutputs
  readonly pages: ResultPages
  readonly clients: Clients
  readonly upstream: UpstreamServers | undefined
  readonly prompts: UpstreamPrompts | undefined
  readonly resources: UpstreamResources | undefined
  readonly waitingCalls = new WaitingCalls()
  readonly #options: GatewayOptions
  readonly #entryIndexes = new WeakMap<readonly unknown[], ReadonlyMap<unknown, unknown>>()

  constructor(options: GatewayOptions) {
    const { info, runtime, forkRuntime, outputs, pages, clients, upstream } = options
    this.#options = options
    this.info = info
    this.runtimes = new ClientRuntimes(runtime, forkRuntime)
    this.outputs = outputs
    this.pages = pages
    this.upstream = upstream
    this.clients = clients
    this.prompts = upstream && new UpstreamPrompts(upstream)
    this.resources = upstream && new UpstreamResources(upstream)
  }

  async listTools(runtime: ServedRuntime) {
    await this.waitForServers()
    const { isGateway, countTokens } = this.#options
    return listTools({ runtime, isGateway, countTokens, findRawEntry: (tool) => this.#findRawEntry(tool) })
  }

  /** Resolves when every server has started or failed, or after the maximum wait. */
  readonly waitForServers = async (): Promise<void> => {
    if (this.upstream !== undefined) await isDoneWithin(MAX_START_WAIT_MS, this.upstream.servers.settled())
  }

  /** Sets the log level of all servers that support logging. */
  async setLogLevel(level: string): Promise<void> {
    if (this.upstream === undefined) return
    const servers = await connectServersWith('logging', this.upstream)
    // If a server rejects the request, its messages are still filtered here.
    await Promise.all(servers.map((server) => server.request('logging/setLevel', { level }).catch(() => {})))
  }

  close(): void {
    this.waitingCalls.close()
  }

  #findRawEntry({ mcpInfo }: Tool): unknown {
    if (mcpInfo === undefined) return undefined
    const tools = this.upstream?.servers.get(mcpInfo.serverName)?.offer?.raw.tools
    return tools === undefined ? undefined : this.#indexEntries(tools).get(mcpInfo.toolName)
  }

  /** Indexes the entries of a list by name, once: searching it for each of thousands of tools would take seconds. */
  #indexEntries(entries: readonly unknown[]): ReadonlyMap<unknown, unknown> {
    const cachedIndex = this.#entryIndexes.get(entries)
    if (cachedIndex !== undefined) return cachedIndex
    const index = new Map<unknown, unknown>()
    for (const entry of entries) if (isRecord(entry) && !index.has(entry.name)) index.set(entry.name, entry)
    this.#entryIndexes.set(entries, index)
    return index
  }
}
