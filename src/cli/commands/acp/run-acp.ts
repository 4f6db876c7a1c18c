import { Readable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { serveAcp } from '../../../acp/serve-acp.js'
import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { readAgentOptions } from '../../options/agent-options.js'
import { SessionManager } from './session-manager.js'

/** `haft acp`: serves an editor until it closes standard input. */
export async function runAcp(io: CommandIo): Promise<number> {
  const options = readAgentOptions(io.args)
  if (options.prompt !== undefined)
    throw new UsageError(`unexpected argument "${options.prompt}". The editor sends prompts.`)
  if (options.isPrintMode || options.session.resume !== undefined || options.session.shouldContinueLatest)
    throw new UsageError('-p, --resume and --continue have no effect here: the editor chooses the session.')
  const host = await io.host()
  const { signal } = host.interruption()
  const decoder = new TextDecoder()
  const stream = ndJsonStream(
    new WritableStream<Uint8Array>({ write: (chunk) => host.write(decoder.decode(chunk, { stream: true })) }),
    Readable.toWeb(Readable.from(host.input())) as ReadableStream<Uint8Array>,
  )
  await serveAcp(stream, new SessionManager(io, host, options), signal)
  return host.interruption().exitCode ?? EXIT.done
}
