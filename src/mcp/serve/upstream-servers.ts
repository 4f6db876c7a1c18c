import type { RawResult } from '../client/connection.js'
import { selectForwardedMeta } from '../client/exchange.js'
import type { McpServers } from '../manager/create-mcp-servers.js'
import type { ManagedServer } from '../manager/managed-server.js'

/** The servers whose tools, prompts and resources the gateway serves. */
export interface UpstreamServers {
  readonly servers: McpServers
  /** Whether the rules deny everything of a server. */
  readonly isDenied: (serverName: string) => boolean
  /** Whether the rules require asking the user before anything of a server is used. */
  readonly mustAskAbout: (serverName: string) => boolean
  /** Whether unique names are passed on without the server prefix. */
  readonly keepsNames: boolean
}

type Feature = 'resources' | 'prompts' | 'completions' | 'logging'

/** Returns the servers that are connected and support a feature. */
export async function connectServersWith(
  feature: Feature,
  upstream: UpstreamServers,
): Promise<readonly ManagedServer[]> {
  const connectedServers = await Promise.all(
    selectAllowedServers(upstream).map((server) => connectIfSupported(server, feature)),
  )
  return connectedServers.filter((server) => server !== undefined)
}

function selectAllowedServers({ servers, isDenied }: UpstreamServers): readonly ManagedServer[] {
  return servers.states.flatMap(({ name, status }) => {
    const server = status === 'disabled' || isDenied(name) ? undefined : servers.get(name)
    return server === undefined ? [] : [server]
  })
}

async function connectIfSupported(server: ManagedServer, feature: Feature): Promise<ManagedServer | undefined> {
  try {
    const { capabilities } = (await server.connect()).info
    return capabilities[feature] === undefined ? undefined : server
  } catch {
    // An unreachable server is skipped. Its state contains the reason.
    return undefined
  }
}

export interface OwnedEntry<Entry> {
  readonly server: ManagedServer
  readonly entry: Entry
}

/** Combines the lists of all servers. Invalid entries and failing servers are skipped. */
export async function listFromAll<Entry>(
  method: Parameters<ManagedServer['list']>[0],
  feature: Feature,
  isEntry: (value: unknown) => value is Entry,
  upstream: UpstreamServers,
): Promise<readonly OwnedEntry<Entry>[]> {
  const lists = await Promise.all(
    (await connectServersWith(feature, upstream)).map(async (server) => {
      const entries = await server.list(method).catch((): readonly unknown[] => [])
      return entries.filter(isEntry).map((entry) => ({ server, entry }))
    }),
  )
  return lists.flat()
}

export function getResultMeta({ result }: RawResult): { _meta?: Record<string, unknown> } {
  return selectForwardedMeta(result._meta)
}
