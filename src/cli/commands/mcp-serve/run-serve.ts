import { Readable } from 'node:stream'
import { serveOverStdio } from '../../../mcp/serve/serve-over-stdio.js'
import type { CommandIo } from '../../command.js'
import { EXIT } from '../../exit-codes.js'
import { warn } from '../../warn.js'
import { hostOutput } from './host-output.js'
import { openServing } from './open-serving.js'
import { serveOptions } from './serve-options.js'

/** Serves tools to MCP clients: those of Haft and of its servers, or as a gateway those of the servers alone. */
export async function runServe(io: CommandIo): Promise<number> {
  const options = serveOptions(io.args)
  const host = await io.host()
  const interruption = host.interruption()
  const { gateway, close } = await openServing(io, host, options)
  const how = { signal: interruption.signal, onProblem: (problem: string) => warn(io, problem) }
  try {
    const streams = { input: Readable.from(host.input()), output: hostOutput(host) }
    await serveOverStdio(gateway, streams, how)
  } finally {
    await close()
  }
  return interruption.exitCode ?? EXIT.done
}
