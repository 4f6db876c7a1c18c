import type { CommandIo } from '../../command.js'
import type { CommandHost } from '../../command-host.js'
import { UsageError } from '../../usage-error.js'
import type { AgentSession } from './agent-session.js'
import { JsonOutput } from './json-output.js'
import { openAgentSession } from './open-agent-session.js'
import type { PrintOptions } from './print-options.js'
import { readPrintOptions } from './print-options.js'
import type { PrintOutput } from './print-output.js'
import { type ReadPrompt, readPrompt } from './read-prompt.js'
import { TurnRunner } from './run-turn.js'
import { TextOutput } from './text-output.js'

/** The agent without a screen: prompts in, an answer or a stream of lines out. */
export async function runPrint(io: CommandIo): Promise<number> {
  const options = readPrintOptions(io.args)
  if (!options.isPrint) return withoutPrint(io, options)
  const host = await io.host()
  // Whoever interrupts from now on gets a whole transcript.
  const interruption = host.interruption()
  if (options.input === 'stream-json') {
    const { runDriven } = await import('./stream-json/run-driven.js')
    const code = await runDriven(io, host, options)
    return interruption.exitCode ?? code
  }
  const [prompt, session] = await bothOrNeither(readPrompt(options, io, host), openAgentSession(io, host, options))
  try {
    if (interruption.exitCode !== undefined) return interruption.exitCode
    const output = await openOutput(io, host, options, session)
    await output.begin(session.facts)
    const code = await new TurnRunner(session, output).run(prompt.text, {
      signal: interruption.signal,
      ownLength: prompt.ownLength,
    })
    return interruption.exitCode ?? code
  } finally {
    await session.dispose()
  }
}

async function openOutput(
  io: CommandIo,
  host: CommandHost,
  options: PrintOptions,
  session: AgentSession,
): Promise<PrintOutput> {
  if (options.output === 'stream-json') {
    const { StreamOutput } = await import('./stream-json/stream-output.js')
    return new StreamOutput(host, session.id, options).follow(session)
  }
  const text = new TextOutput(io, host, options)
  return options.output === 'text' ? text : new JsonOutput(host, session.id, text)
}

/** A session that was opened in vain is closed again; wrong usage is told before anything else that is wrong. */
async function bothOrNeither(
  reading: Promise<ReadPrompt>,
  opening: Promise<AgentSession>,
): Promise<readonly [ReadPrompt, AgentSession]> {
  const [prompt, session] = await Promise.allSettled([reading, opening])
  if (prompt.status === 'rejected') {
    if (session.status === 'fulfilled') await session.value.dispose()
    throw prompt.reason
  }
  if (session.status === 'rejected') throw session.reason
  return [prompt.value, session.value]
}

async function withoutPrint(io: CommandIo, options: PrintOptions): Promise<number> {
  const { latest, resume } = options.session
  if ((latest || resume !== undefined) && options.prompt === undefined) {
    const { showSession } = await import('./show-session.js')
    return showSession(io, options.session)
  }
  throw new UsageError('give the prompt with -p: haft -p "…". There is no other way to talk to the agent yet.')
}
