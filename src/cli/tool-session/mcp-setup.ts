import { join } from 'node:path'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { createServerAccess, type ServerAccess } from '../../mcp/auth/server-access.js'
import { readApprovals } from '../../mcp/config/approvals.js'
import { type GatheredServers, gatherServers } from '../../mcp/config/gather-servers.js'
import { createPins } from '../../mcp/config/pins.js'
import type { ConfiguredServer } from '../../mcp/config/server-config.js'
import { reviewByPins } from '../../mcp/manager/definition-review.js'
import { runHelper } from '../../ports/run-helper.js'
import type { McpSetup } from '../../runtime/mcp/mcp-setup.js'
import { openPrivateFiles } from '../../settings/files/private-files.js'
import { getMcpFolder } from '../../settings/files/settings-files.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import type { CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'

/** The configured servers of a project, and the private files with their approvals, pins and credentials. */
export interface ServerRecords {
  readonly files: PrivateFiles
  readonly projectRoot: string
  /** Returns the servers of the settings, and which of them may start. */
  gather(settings: Pick<LoadedSettings, 'mcpServers'>): GatheredServers
}

export async function openServerRecords(
  io: CommandIo,
  { home, projectRoot, trust }: { readonly home: string; readonly projectRoot: string; readonly trust: boolean },
): Promise<ServerRecords> {
  const files = openPrivateFiles(getMcpFolder(home))
  const approvals = await readApprovals(files, projectRoot)
  if (approvals.problem !== undefined) warn(io, approvals.problem)
  return {
    files,
    projectRoot,
    gather: ({ mcpServers }) =>
      gatherServers({
        layers: mcpServers,
        variables: io.variables,
        projectRoot,
        isApproved: (name, entry) => trust || approvals.has(name, entry),
      }),
  }
}

/** Returns access to the credentials of a server; undefined for stdio servers. */
export function createAccessTo(
  { name, config }: Pick<ConfiguredServer, 'name' | 'config'>,
  { files, projectRoot }: Pick<ServerRecords, 'files' | 'projectRoot'>,
): ServerAccess | undefined {
  if (!('url' in config)) return undefined
  return createServerAccess({
    ...{ name, config, files },
    runHelper: (command, options) => runHelper(command, { ...options, cwd: projectRoot }),
  })
}

export function getServerFolders(home: string): Pick<McpSetup, 'cacheFolder' | 'logFolder'> {
  return { cacheFolder: join(home, '.haft', 'cache', 'mcp'), logFolder: join(home, '.haft', 'logs', 'mcp') }
}

/**
 * Prepares the servers of the settings. Warns about servers that cannot be started; malformed ones were reported with
 * the settings.
 */
export async function openMcpSetup(
  io: CommandIo,
  settings: LoadedSettings,
  { home, trust }: { readonly home: string; readonly trust: boolean },
): Promise<McpSetup> {
  const records = await openServerRecords(io, { home, projectRoot: settings.projectRoot, trust })
  const { servers, refused } = records.gather(settings)
  for (const { name, reason, isMalformed } of refused)
    if (!isMalformed) warn(io, `cannot start the MCP server ${name}: ${reason}.`)
  const accesses = new Map(servers.map((server) => [server.name, createAccessTo(server, records)]))
  return {
    ...getServerFolders(home),
    servers,
    access: ({ name }) => accesses.get(name),
    review: reviewByPins(createPins(records.files)),
    onProblem: (problem) => warn(io, problem),
  }
}
