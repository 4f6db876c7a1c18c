import type { AgentSession } from '../../agent-session/agent-session.js'
import { expandCommand, loadCommands } from '../../agent-session/expand-command.js'
import { openAgentSession, type SessionUser } from '../../agent-session/open-agent-session.js'
import type { OpenedSession } from '../../agent-session/opened-session.js'
import type { CommandHost, CommandIo } from '../../io/command.js'
import { UsageError } from '../../io/exit.js'
import type { AgentOptions } from '../../options/agent-options.js'
import { readAgentOptions } from '../../options/agent-options.js'
import type { PrintOutput } from '../../stream-json/turn/print-output.js'
import { TurnRunner } from '../../stream-json/turn/turn-runner.js'
import { askInTerminal, createTerminalAskPort } from '../../tool-session/ask-in-terminal.js'
import { JsonOutput, TextOutput } from './output/text-output.js'
import { type PromptInput, readPrompt } from './read-prompt.js'

interface PromptOrigin {
  /** If false, the prompt runs no slash command, and auto mode does not take it for what the user asked for. Default: true. */
  readonly isUserPrompt?: boolean
}

/** `haft -p`: reads the options, opens a session, runs the prompt and prints the result. */
export async function runPrint(io: CommandIo, { isUserPrompt = true }: PromptOrigin = {}): Promise<number> {
  const options = readAgentOptions(io.args)
  if (!options.isPrintMode) return runWithoutPrint(io, options)
  const host = await io.host()
  // Handles signals before the session is opened, so that an interrupt leaves a complete transcript.
  const interruption = host.interruption()
  if (options.input === 'stream-json') {
    const { runDrivenSession } = await import('../../stream-json/drive-session.js')
    const code = await runDrivenSession(io, host, options)
    return interruption.exitCode ?? code
  }
  const [prompt, session] = await openPromptAndSession(
    readPrompt(options, io, host),
    openAgentSession(io, host, options, options.mayAsk ? createTerminalUser(io, host) : {}),
  )
  try {
    if (interruption.exitCode !== undefined) return interruption.exitCode
    const output = await openOutput(io, host, options, session)
    await output.begin(session.facts, async () => (await loadCommands(session, io, host)).map(({ name }) => name))
    const expandedText = isUserPrompt ? await expandCommand(prompt.text, session, io, host) : undefined
    const code = await new TurnRunner(session, output).run(expandedText ?? prompt.text, {
      signal: interruption.signal,
      ownLength: isUserPrompt ? prompt.promptLength : 0,
    })
    return interruption.exitCode ?? code
  } finally {
    await session.dispose()
  }
}

/** Creates the user of `--ask`: permission questions and questions of tools are asked in the terminal. */
function createTerminalUser(io: CommandIo, host: CommandHost): SessionUser {
  if (!host.isInteractive) throw new UsageError('--ask needs a terminal on standard input and standard error.')
  return { askWith: (settings) => askInTerminal(io, host, settings), askPort: createTerminalAskPort(io, host) }
}

async function openOutput(
  io: CommandIo,
  host: CommandHost,
  options: AgentOptions,
  session: AgentSession,
): Promise<PrintOutput> {
  if (options.output === 'stream-json') {
    const { StreamOutput } = await import('../../stream-json/lines/stream-output.js')
    return new StreamOutput(host, options).open(session)
  }
  const text = new TextOutput(io, host, { ...options, progress: await openProgress(io, host, options, session) })
  return options.output === 'text' ? text : new JsonOutput(host, session.id, text)
}

/** Shows calls with `--verbose`, and for text output in a terminal unless `--quiet` is set. */
async function openProgress(io: CommandIo, host: CommandHost, options: AgentOptions, session: AgentSession) {
  const isShown = options.isVerbose || (options.output === 'text' && host.hasErrorTerminal && !options.isQuiet)
  if (!isShown) return undefined
  const { CallProgress } = await import('./output/call-progress.js')
  return new CallProgress(io, { isVerbose: options.isVerbose, findTool: (name) => session.findTool(name) })
}

/**
 * Waits for prompt and session. If reading the prompt fails, the session is closed and the prompt error is thrown.
 */
async function openPromptAndSession(
  promptPromise: Promise<PromptInput>,
  sessionPromise: Promise<OpenedSession>,
): Promise<readonly [PromptInput, OpenedSession]> {
  const [prompt, session] = await Promise.allSettled([promptPromise, sessionPromise])
  if (prompt.status === 'rejected') {
    if (session.status === 'fulfilled') await session.value.dispose()
    throw prompt.reason
  }
  if (session.status === 'rejected') throw session.reason
  return [prompt.value, session.value]
}

async function runWithoutPrint(io: CommandIo, options: AgentOptions): Promise<number> {
  const { shouldContinueLatest, resume } = options.session
  if ((shouldContinueLatest || resume !== undefined) && options.prompt === undefined) {
    const { showSession } = await import('./show-session.js')
    return showSession(io, options.session)
  }
  throw new UsageError('pass the prompt with -p: haft -p "…".')
}
