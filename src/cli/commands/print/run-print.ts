import type { CommandHost, CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import type { PrintOptions } from './options/print-options.js'
import { readPrintOptions } from './options/print-options.js'
import { type PromptInput, readPrompt } from './options/read-prompt.js'
import type { PrintOutput } from './output/print-output.js'
import { JsonOutput, TextOutput } from './output/text-output.js'
import { TurnRunner } from './output/turn-runner.js'
import type { AgentSession } from './session/agent-session.js'
import { openAgentSession } from './session/open-agent-session.js'

/** `haft -p`: reads the options, opens a session, runs the prompt and prints the result. */
export async function runPrint(io: CommandIo): Promise<number> {
  const options = readPrintOptions(io.args)
  if (!options.isPrintMode) return runWithoutPrint(io, options)
  const host = await io.host()
  // Handles signals before the session is opened, so that an interrupt leaves a complete transcript.
  const interruption = host.interruption()
  if (options.input === 'stream-json') {
    const { runDrivenSession } = await import('./stream-json/drive-session.js')
    const code = await runDrivenSession(io, host, options)
    return interruption.exitCode ?? code
  }
  const [prompt, session] = await openPromptAndSession(
    readPrompt(options, io, host),
    openAgentSession(io, host, options),
  )
  try {
    if (interruption.exitCode !== undefined) return interruption.exitCode
    const output = await openOutput(io, host, options, session)
    await output.begin(session.facts)
    const code = await new TurnRunner(session, output).run(prompt.text, {
      signal: interruption.signal,
      ownLength: prompt.promptLength,
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

/**
 * Waits for prompt and session. If reading the prompt fails, the session is closed and the prompt error is thrown.
 */
async function openPromptAndSession(
  promptPromise: Promise<PromptInput>,
  sessionPromise: Promise<AgentSession>,
): Promise<readonly [PromptInput, AgentSession]> {
  const [prompt, session] = await Promise.allSettled([promptPromise, sessionPromise])
  if (prompt.status === 'rejected') {
    if (session.status === 'fulfilled') await session.value.dispose()
    throw prompt.reason
  }
  if (session.status === 'rejected') throw session.reason
  return [prompt.value, session.value]
}

async function runWithoutPrint(io: CommandIo, options: PrintOptions): Promise<number> {
  const { shouldContinueLatest, resume } = options.session
  if ((shouldContinueLatest || resume !== undefined) && options.prompt === undefined) {
    const { showSession } = await import('./show-session.js')
    return showSession(io, options.session)
  }
  throw new UsageError('pass the prompt with -p: haft -p "…".')
}
