import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { openInput } from '../../open-input.js'
import { openToolSession } from '../../open-tool-session.js'
import { parseOptions } from '../../parse-options.js'
import { SETTINGS_OPTIONS } from '../../settings-options.js'
import { tellServerFailures } from '../../tell-server-failures.js'
import { UsageError } from '../../usage-error.js'
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
    await tellServerFailures(io, session)
    return host.interruption().exitCode ?? (hasBadLine ? EXIT.failed : EXIT.done)
  } finally {
    await session.dispose()
  }
}
