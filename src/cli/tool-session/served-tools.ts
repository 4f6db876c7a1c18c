import { filterToolsByDenyRules } from '../../assembly/filter-tools-by-deny-rules.js'
import type { Tools } from '../../contract/tool/tool.js'
import type { LoadedSettings } from '../../settings/load-settings.js'
import { builtInTools } from '../../tools/index.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'
import type { ServedValues } from '../options/settings-options.js'
import { loadCommandSettings, namesServers } from './load-command-settings.js'

/** Tools of the servers of these settings, without those that a rule denies. */
export async function permittedTools(io: CommandIo, host: CommandHost, values: ServedValues): Promise<Tools> {
  const settings = await loadCommandSettings(io, host, { values, tools: builtInTools })
  if (!namesServers(settings)) return []
  const served = await servedTools(io, host, { settings, trust: values.trust, connect: values.connect })
  return filterToolsByDenyRules(served, settings.permissionContext)
}

export interface ServedOptions {
  readonly settings: LoadedSettings
  readonly trust: boolean
  /** Whether servers are started whose tools are not known from last time. */
  readonly connect: boolean
}

/** Tools of servers, to be looked at and not to be called. Of servers whose tools are not known the person is told. */
export async function servedTools(
  io: CommandIo,
  { homeDir: home }: CommandHost,
  { settings, trust, connect }: ServedOptions,
): Promise<Tools> {
  const [{ connectMcpServers }, { openMcpSetup }] = await Promise.all([
    import('../../runtime/mcp/connect-mcp-servers.js'),
    import('./mcp-setup.js'),
  ])
  const setup = await openMcpSetup(io, settings, { home, trust })
  const servers = connectMcpServers(setup, {
    env: io.variables,
    cwd: settings.projectRoot,
    startsOnDemand: !connect,
    reservedNames: new Set(builtInTools.flatMap(({ name, aliases = [] }) => [name, ...aliases])),
  })
  try {
    await servers.settled()
    for (const { name, status, reason } of servers.states) {
      const isKnown = servers.get(name)?.offer !== undefined
      if (status === 'failed' || status === 'needs-auth') warn(io, reason ?? `The MCP server ${name} failed.`)
      else if (status === 'disabled' && reason !== undefined)
        warn(io, `The MCP server ${name} is not started. ${reason}`)
      else if (status === 'pending' && !isKnown)
        warn(
          io,
          `The MCP server ${name} is not connected, and its tools are not known: haft tools --connect connects it.`,
        )
    }
    return servers.tools()
  } finally {
    await servers.close()
  }
}
