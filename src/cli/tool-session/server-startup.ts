import type { McpServers } from '../../mcp/manager/create-mcp-servers.js'
import { isDoneWithin } from '../../shared/waiting.js'
import type { CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'
import type { ToolSession } from './open-tool-session.js'

/** How long the first request waits for slow servers. */
const MAX_WAIT_MS = 30_000

/** Waits for the MCP servers, because the first request may be the only one and needs all tools. */
export async function awaitServers(
  io: CommandIo,
  toolSession: ToolSession,
  { signal }: { readonly signal: AbortSignal },
): Promise<McpServers | undefined> {
  if (!toolSession.hasServers) return undefined
  const servers = await toolSession.runtime.mcp()
  if (servers !== undefined) await isDoneWithin(MAX_WAIT_MS, servers.settled(), signal)
  await warnAboutServers(io, toolSession)
  return servers
}

/** Prints a message for each server that failed or was not started. */
export async function warnAboutServers(
  io: CommandIo,
  { runtime, hasServers }: Pick<ToolSession, 'runtime' | 'hasServers'>,
): Promise<void> {
  if (!hasServers) return
  for (const { name, status, reason = '' } of (await runtime.mcp())?.states ?? []) {
    if (status === 'failed' || status === 'needs-auth') warn(io, reason)
    if (status === 'disabled' && reason !== '') warn(io, `The MCP server ${name} was not started. ${reason}`)
  }
}
