import { isRecord } from '../../shared/is-record.js'
import type { RawResult } from '../client/connection.js'
import type { McpServers } from '../manager/create-mcp-servers.js'
import type { ManagedServer } from '../manager/managed-server.js'

/** The servers that a gateway stands in front of. */
export interface Behind {
  readonly servers: McpServers
  /** Whether rules keep everything of a server away. */
  readonly isDenied: (serverName: string) => boolean
  /** Whether rules want a person to be asked about whatever is had from a server. */
  readonly asksAbout: (serverName: string) => boolean
  /** Names are passed on without the server's before them, where they are unique. */
  readonly keepsNames: boolean
}

type Feature = 'resources' | 'prompts' | 'completions' | 'logging'

/** Those that can be reached and say that they have something. */
export async function serversWith(feature: Feature, behind: Behind): Promise<readonly ManagedServer[]> {
  const reached = await Promise.all(reachable(behind).map((server) => connected(server, feature)))
  return reached.filter((server) => server !== undefined)
}

function reachable({ servers, isDenied }: Behind): readonly ManagedServer[] {
  return servers.states.flatMap(({ name, status }) => {
    const server = status === 'disabled' || isDenied(name) ? undefined : servers.get(name)
    return server === undefined ? [] : [server]
  })
}

async function connected(server: ManagedServer, feature: Feature): Promise<ManagedServer | undefined> {
  try {
    const { capabilities } = (await server.connect()).info
    return capabilities[feature] === undefined ? undefined : server
  } catch {
    // A server that cannot be reached has nothing to offer now; why, its state tells.
    return undefined
  }
}

export interface OwnedEntry<Entry> {
  readonly server: ManagedServer
  readonly entry: Entry
}

/** A list of all servers in one. What a server sends is taken entry by entry, and what is none is left out. */
export async function listOfAll<Entry>(
  method: Parameters<ManagedServer['list']>[0],
  feature: Feature,
  isEntry: (value: unknown) => value is Entry,
  behind: Behind,
): Promise<readonly OwnedEntry<Entry>[]> {
  const lists = await Promise.all(
    (await serversWith(feature, behind)).map(async (server) => {
      const entries = await server.list(method).catch((): readonly unknown[] => [])
      return entries.filter(isEntry).map((entry) => ({ server, entry }))
    }),
  )
  return lists.flat()
}

/** What a server said of itself is not said in our name. */
const RESERVED = 'io.modelcontextprotocol/'

export function passedMeta(meta: unknown): { _meta?: Record<string, unknown> } {
  if (!isRecord(meta)) return {}
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED))
  return kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }
}

export function metaOf({ result }: RawResult): { _meta?: Record<string, unknown> } {
  return passedMeta(result._meta)
}
