import type { Tools } from '../contract/tool/tool.js'
import { connectMcpServers } from '../runtime/mcp/connect-mcp-servers.js'
import type { LoadedSettings } from '../settings/load-settings.js'
import { builtInTools } from '../tools/index.js'
import type { CommandIo } from './command.js'
import type { CommandHost } from './command-host.js'
import { openMcpSetup } from './mcp-servers.js'
import { warn } from './warn.js'

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
  const setup = await openMcpSetup(io, settings, { home, trust })
  const servers = connectMcpServers(setup, {
    env: io.variables,
    cwd: settings.projectRoot,
    startsWhenNamed: !connect,
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
