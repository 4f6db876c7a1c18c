import type { CommandIo } from './command.js'
import { namesServers } from './names-servers.js'
import type { ToolSession } from './open-tool-session.js'
import { warn } from './warn.js'

/** Of servers that nobody called nobody would hear otherwise. */
export async function tellServerFailures(
  io: CommandIo,
  { runtime, settings }: Pick<ToolSession, 'runtime' | 'settings'>,
): Promise<void> {
  if (!namesServers(settings)) return
  for (const { name, status, reason = '' } of (await runtime.mcp())?.states ?? []) {
    if (status === 'failed' || status === 'needs-auth') warn(io, reason)
    if (status === 'disabled' && reason !== '') warn(io, `The MCP server ${name} was not started. ${reason}`)
  }
}
