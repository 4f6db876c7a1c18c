import { createReservedNames, filterToolsByDenyRules } from '../../assembly/filter-tools-by-deny-rules.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { builtInTools } from '../../tools/index.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'
import type { ServedValues } from '../options/served-options.js'
import { hasServers, loadCommandSettings } from './load-command-settings.js'

/** Returns the tools of the configured servers, without denied ones. */
export async function loadPermittedTools(io: CommandIo, host: CommandHost, values: ServedValues): Promise<Tools> {
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  if (!hasServers(settings)) return []
  const servedTools = await loadServedTools(io, host, { settings, trust: values.trust, shouldConnect: values.connect })
  return filterToolsByDenyRules(servedTools, settings.permissionContext)
}

export interface ServedOptions {
  readonly settings: LoadedSettings
  readonly trust: boolean
  /** Whether to start servers whose cached definitions are missing or outdated. */
  readonly shouldConnect: boolean
}

/** Returns the tools of servers, for display only. Prints a message for each server whose tools are unknown. */
export async function loadServedTools(
  io: CommandIo,
  { homeDir: home }: CommandHost,
  { settings, trust, shouldConnect }: ServedOptions,
): Promise<Tools> {
  const [{ connectMcpServers }, { openMcpSetup }] = await Promise.all([
    import('../../runtime/mcp/connect-mcp-servers.js'),
    import('./mcp-setup.js'),
  ])
  const setup = await openMcpSetup(io, settings, { home, trust })
  const findReservedNames = createReservedNames(builtInTools)
  const servers = connectMcpServers(setup, {
    env: io.variables,
    cwd: settings.projectRoot,
    startsOnDemand: !shouldConnect,
    reservedNames: () => findReservedNames(settings.permissionContext),
  })
  try {
    await servers.settled()
    for (const { name, status, reason } of servers.states) {
      const areToolsKnown = servers.get(name)?.offer !== undefined
      if (status === 'failed' || status === 'needs-auth')
        warn(io, reason ?? `Cannot connect to the MCP server ${name}; run haft mcp test ${name} for details.`)
      else if (status === 'disabled' && reason !== undefined)
        warn(io, `The MCP server ${name} is not started. ${reason}`)
      else if (status === 'pending' && !areToolsKnown)
        warn(
          io,
          `The tools of the MCP server ${name} are unknown because it is not connected; run haft tools --connect.`,
        )
    }
    return servers.tools()
  } finally {
    await servers.close()
  }
}
