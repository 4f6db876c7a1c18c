import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { Gateway } from '../../../mcp/serve/gateway.js'
import { serveOverHttp } from '../../../mcp/serve/serve-over-http.js'
import { serveOverStdio } from '../../../mcp/serve/serve-over-stdio.js'
import { reasonOf } from '../../../shared/reason-of.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { warn } from '../../io/warn.js'
import { openServing } from './open-serving.js'
import type { HttpEndpoint, ServeOptions } from './serve-options.js'

/** Serves until the process is interrupted or, over standard input and output, the client disconnects. */
export async function serve(io: CommandIo, options: ServeOptions): Promise<number> {
  const host = await io.host()
  const interruption = host.interruption()
  const { gateway, close } = await openServing(io, host, options)
  try {
    if (options.http === undefined) await runOverStreams(gateway, io, host)
    else await runOverHttp(gateway, options.http, io, interruption.signal)
  } finally {
    await close()
  }
  return interruption.exitCode ?? EXIT.done
}

/**
 * Serves over standard input and output. Problems go to standard error, because only protocol messages may go to
 * standard output.
 */
async function runOverStreams(gateway: Gateway, io: CommandIo, host: CommandHost): Promise<void> {
  const streams = { input: Readable.from(host.input()), output: createHostOutput(host) }
  const { signal } = host.interruption()
  await serveOverStdio(gateway, streams, { signal, onProblem: (problem) => warn(io, problem) })
}

async function runOverHttp(
  gateway: Gateway,
  { needsToken, ...endpoint }: HttpEndpoint,
  io: CommandIo,
  signal: AbortSignal,
): Promise<void> {
  const token = needsToken ? requireToken(io) : undefined
  const httpServer = await serveOverHttp(gateway, {
    ...endpoint,
    token,
    onProblem: (problem) => warn(io, problem),
  }).catch((error) => {
    throw new UsageError(
      `cannot listen on ${endpoint.host} port ${endpoint.port}: ${reasonOf(error)}. Use another --http PORT or --host.`,
    )
  })
  io.err(`Serving MCP at ${httpServer.url}\n`)
  if (token !== undefined && token !== io.variables.HAFT_MCP_TOKEN)
    io.err(`Clients must send the header "Authorization: Bearer ${token}"; set HAFT_MCP_TOKEN to choose the token.\n`)
  try {
    if (!signal.aborted) await once(signal, 'abort')
  } finally {
    await httpServer.close()
  }
}

/** Returns the token of the user, or a random one for this run. */
function requireToken({ variables: { HAFT_MCP_TOKEN } }: CommandIo): string {
  if (HAFT_MCP_TOKEN === undefined || HAFT_MCP_TOKEN === '') return randomBytes(32).toString('base64url')
  if (HAFT_MCP_TOKEN.length >= MIN_TOKEN_CHARS) return HAFT_MCP_TOKEN
  throw new UsageError(`HAFT_MCP_TOKEN is too short; use at least ${MIN_TOKEN_CHARS} characters.`)
}

const MIN_TOKEN_CHARS = 16

/** Returns standard output as a stream with back-pressure. */
function createHostOutput(host: CommandHost): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, callback) {
      host.write(String(chunk)).then(() => callback(), callback)
    },
  })
}
