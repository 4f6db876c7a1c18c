import type { Implementation } from '@modelcontextprotocol/server'
import type { Tool } from '../../contract/tool/tool.js'
import { isRecord } from '../../shared/is-record.js'
import { ParkedCalls } from './client-call.js'
import type { Clients } from './clients.js'
import type { KeptOutputs } from './kept-outputs.js'
import { listedTools, type ServedRuntime } from './listed-tools.js'
import { PassedPrompts } from './upstream-prompts.js'
import { PassedResources } from './upstream-resources.js'
import { type Behind, serversWith } from './upstream-servers.js'

export interface GatewayOptions {
  readonly info: Implementation
  readonly runtime: ServedRuntime
  readonly outputs: KeptOutputs
  readonly clients: Clients
  /** Left out where there are no servers. */
  readonly behind?: Behind
  /** Shows only what finds and calls tools, and what is always loaded. */
  readonly isGateway: boolean
  readonly countTokens: (text: string) => number
}

/** How long a client's question waits for servers that are only coming up. */
const COMING_UP_MS = 5_000

/** What all clients are served from. */
export class Gateway {
  readonly info: Implementation
  readonly runtime: ServedRuntime
  readonly outputs: KeptOutputs
  readonly clients: Clients
  readonly behind: Behind | undefined
  readonly prompts: PassedPrompts | undefined
  readonly resources: PassedResources | undefined
  readonly parked = new ParkedCalls()
  readonly #options: GatewayOptions

  constructor(options: GatewayOptions) {
    const { info, runtime, outputs, clients, behind } = options
    this.#options = options
    this.info = info
    this.runtime = runtime
    this.outputs = outputs
    this.behind = behind
    this.clients = clients
    this.prompts = behind && new PassedPrompts(behind)
    this.resources = behind && new PassedResources(behind)
  }

  async listTools() {
    await this.serversCameUp()
    const { runtime, isGateway, countTokens } = this.#options
    return listedTools({ runtime, isGateway, countTokens, rawEntry: (tool) => this.#rawEntry(tool) })
  }

  /** Resolves when every server was tried, or after as long as a client can be kept waiting. */
  readonly serversCameUp = async (): Promise<void> => {
    if (this.behind === undefined) return
    let timer: NodeJS.Timeout | undefined
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, COMING_UP_MS)
    })
    await Promise.race([this.behind.servers.settled(), limit])
    clearTimeout(timer)
  }

  /** Sets the level of all servers that write a log. */
  async setLogLevel(level: string): Promise<void> {
    if (this.behind === undefined) return
    const servers = await serversWith('logging', this.behind)
    // A server that cannot be quieter is filtered here.
    await Promise.all(servers.map((server) => server.request('logging/setLevel', { level }).catch(() => {})))
  }

  close(): void {
    this.parked.close()
  }

  #rawEntry({ mcpInfo }: Tool): unknown {
    if (mcpInfo === undefined) return undefined
    const tools = this.behind?.servers.get(mcpInfo.serverName)?.offer?.raw.tools
    return tools?.find((entry) => isRecord(entry) && entry.name === mcpInfo.toolName)
  }
}
