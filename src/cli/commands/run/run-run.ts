import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { namesServers } from '../../names-servers.js'
import { openInput } from '../../open-input.js'
import { openToolSession, type ToolSession } from '../../open-tool-session.js'
import { parseOptions } from '../../parse-options.js'
import { SETTINGS_OPTIONS } from '../../settings-options.js'
import { UsageError } from '../../usage-error.js'
import { warn } from '../../warn.js'
import { EventOutput } from './event-output.js'
import { runStream } from './run-stream.js'

/** `tool_use` in, `tool_result` out: the tools for programs in any language. */
export async function runRun(io: CommandIo): Promise<number> {
  const { values, positionals } = parseOptions(io.args, {
    ...SETTINGS_OPTIONS,
    events: { type: 'boolean', default: false },
  })
  const [file = '-', ...others] = positionals
  if (others.length > 0) throw new UsageError('run takes one file, or - for standard input; see haft run --help.')
  const host = await io.host()
  const input = await openInput(file, host)
  const events = values.events ? new EventOutput(host) : undefined
  const session = await openToolSession(io, host, {
    values,
    ...(events !== undefined && { onEvent: (event) => events.add(event) }),
  })
  try {
    const { hasBadLine } = await runStream(input, { session, host, io, ...(events !== undefined && { events }) })
    await tellFailures(io, session)
    return host.interruption().exitCode ?? (hasBadLine ? EXIT.failed : EXIT.done)
  } finally {
    await session.dispose()
  }
}

/** Of servers that nobody called nobody would hear otherwise. */
async function tellFailures(io: CommandIo, { runtime, settings }: ToolSession): Promise<void> {
  if (!namesServers(settings)) return
  for (const { name, status, reason = '' } of (await runtime.mcp())?.states ?? []) {
    if (status === 'failed' || status === 'needs-auth') warn(io, reason)
    if (status === 'disabled' && reason !== '') warn(io, `The MCP server ${name} was not started. ${reason}`)
  }
}
