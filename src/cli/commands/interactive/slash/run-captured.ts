import type { CodeView } from '../../../../contract/views.js'
import { overridePort } from '../../../../shared/override-port.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'

export interface CommandContext {
  readonly io: CommandIo
  readonly host: CommandHost
}

/** Runs a CLI command and returns its output. */
export async function runCaptured(
  name: 'rewind' | 'doctor',
  args: readonly string[],
  { io, host }: CommandContext,
): Promise<CodeView> {
  const texts: string[] = []
  const write = (text: string) => texts.push(text)
  const capturingIo = overridePort(io, {
    args,
    out: (text) => write(typeof text === 'string' ? text : text.toString()),
    err: write,
    host: async () => overridePort(host, { write: async (text) => void write(text) }),
  })
  const run =
    name === 'rewind'
      ? (await import('../../rewind/run-rewind.js')).runRewind
      : (await import('../../doctor/run-doctor.js')).runDoctor
  await run(capturingIo)
  return { type: 'code', text: texts.join('').trimEnd() }
}
