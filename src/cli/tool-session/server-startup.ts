import { setTimeout as sleep } from 'node:timers/promises'
import type { McpServers } from '../../mcp/manager/create-mcp-servers.js'
import type { CommandIo } from '../io/command.js'
import { warn } from '../io/warn.js'
import { namesServers } from './load-command-settings.js'
import type { ToolSession } from './open-tool-session.js'

/** How long the first request waits for servers that are slow to come up. */
const PATIENCE_MS = 30_000

/** Waits for the MCP servers to come up: the first answer may be the last, and has to know all tools. */
export async function awaitServers(
  io: CommandIo,
  toolSession: ToolSession,
  { signal }: { readonly signal: AbortSignal },
): Promise<McpServers | undefined> {
  if (!namesServers(toolSession.settings)) return undefined
  const servers = await toolSession.runtime.mcp()
  const waiting = new AbortController()
  const stop = () => waiting.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const late = sleep(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => {})
  await Promise.race([servers?.settled(), late])
  stop()
  signal.removeEventListener('abort', stop)
  await tellServerFailures(io, toolSession)
  return servers
}

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
