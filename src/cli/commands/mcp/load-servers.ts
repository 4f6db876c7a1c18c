import type { GatheredServer, GatheredServers } from '../../../mcp/config/gather-servers.js'
import type { ServerSource } from '../../../mcp/config/server-config.js'
import { resolveLinks } from '../../../settings/files/resolve-real-path.js'
import { loadSettings } from '../../../settings/load-settings.js'
import { SERVER_SCOPES, type ServerScope } from '../../../settings/save/server-files.js'
import { isProjectTrusted } from '../../../settings/trust.js'
import { didYouMean } from '../../../shared/nearest-names.js'
import { quote } from '../../../shared/quote.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { loadMcpConfigSettings } from '../../tool-session/mcp-config-settings.js'
import { openServerRecords, type ServerRecords } from '../../tool-session/mcp-setup.js'

type ServerState = 'ready' | 'disabled' | 'unapproved' | 'untrusted' | 'broken'

/** A configured server, whether it can be started or not. */
export interface ListedServer {
  readonly name: string
  readonly source: ServerSource
  readonly file?: string
  readonly state: ServerState
  readonly reason?: string
  /** Undefined if the configuration is invalid. */
  readonly server?: GatheredServer
}

export interface LoadedServers extends ServerRecords {
  readonly roots: { readonly projectRoot: string; readonly home: string }
  /** The servers of the settings in effect, sorted by name, then those of an untrusted project. */
  readonly servers: readonly ListedServer[]
}

export interface LoadServersOptions {
  /** Whether to trust the project and its servers for this run. */
  readonly trust?: boolean
  readonly mcpConfig?: readonly string[] | undefined
}

export async function loadServers(
  io: CommandIo,
  host: CommandHost,
  { trust = false, mcpConfig }: LoadServersOptions = {},
): Promise<LoadedServers> {
  const home = await resolveLinks(host.homeDir)
  const cliArg = await loadMcpConfigSettings(mcpConfig, host.cwd)
  const load = (isTrusted: (root: string) => boolean | Promise<boolean>) =>
    loadSettings({ cwd: host.cwd, home, cliArg, isTrusted })
  const settings = await load((root) => trust || isProjectTrusted(root, { home }))
  for (const { message } of settings.problems) warn(io, message)
  const { projectRoot } = settings
  const records = await openServerRecords(io, { home, projectRoot, trust })
  const untrustedServers = settings.isTrusted ? [] : selectUntrustedServers(records.gather(await load(() => true)))
  return {
    ...records,
    roots: { projectRoot, home },
    servers: [...toListedServers(records.gather(settings)), ...untrustedServers],
  }
}

/** Finds a server by name; active servers take precedence over those of an untrusted project. */
export function findServer({ servers }: LoadedServers, name: string | undefined): ListedServer {
  if (name === undefined) throw new UsageError('missing server name. See haft mcp list.')
  const foundServer = servers.find((server) => server.name === name)
  if (foundServer !== undefined) return foundServer
  const knownNames = servers.map((server) => server.name)
  throw new UsageError(`unknown MCP server ${quote(name)}.${didYouMean(name, knownNames)} See haft mcp list.`)
}

function toListedServers({ servers, refused }: GatheredServers): readonly ListedServer[] {
  const validServers = servers.map(
    (server): ListedServer => ({ ...locationOf(server), state: stateOf(server), server }),
  )
  const brokenServers = refused.map(
    (server): ListedServer => ({ ...locationOf(server), state: 'broken', reason: server.reason }),
  )
  return [...validServers, ...brokenServers].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function selectUntrustedServers(gatheredServers: GatheredServers): readonly ListedServer[] {
  const projectServers = toListedServers(gatheredServers).filter(
    ({ source }) => source === 'project' || source === 'local',
  )
  return projectServers.map((server) => ({ ...server, state: server.state === 'broken' ? 'broken' : 'untrusted' }))
}

function stateOf({ approved, config }: GatheredServer): ServerState {
  if (config.disabled === true) return 'disabled'
  return approved ? 'ready' : 'unapproved'
}

function locationOf({ name, source, file }: Pick<ListedServer, 'name' | 'source' | 'file'>) {
  return { name, source, ...(file !== undefined && { file }) }
}

export function parseScope(scopeName: string): ServerScope {
  const scope = SERVER_SCOPES.find((candidate) => candidate === scopeName)
  if (scope !== undefined) return scope
  throw new UsageError(`unknown scope ${quote(scopeName)}. Use ${SERVER_SCOPES.join(', ')}.`)
}
