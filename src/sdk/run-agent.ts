import { registerTools } from '../assembly/register-tools.js'
import type { ProgramAdditions, Prompt } from '../cli/agent-session/agent-session.js'
import { BoundedQueue } from '../cli/io/bounded-queue.js'
import { ExitError } from '../cli/io/exit.js'
import type { PrintOutput } from '../cli/stream-json/turn/print-output.js'
import { configureLibraryServers } from '../mcp/config/server-config.js'
import { requireAnswer } from '../session/conversation/no-answer-error.js'
import type { QueryEnd, SessionEvent } from '../session/conversation/session-event.js'
import { InProcessCommand } from './in-process-command.js'
import { type RunAgentOptions, toPrintArguments } from './run-agent-options.js'

/** How an agent ended. `text` is its answer if `reason` is `completed`. */
export interface AgentResult extends QueryEnd {
  /** To continue the session with the option `session`. */
  readonly sessionId: string
}

/**
 * A running agent. Iterating yields its events and throws if it ends without an answer; leaving the loop early interrupts the
 * agent. Events are not kept while nobody iterates.
 */
export interface AgentRun extends AsyncIterable<SessionEvent> {
  /** The answer. Rejects with a `NoAnswerError` if there is none, and if the agent could not be started. */
  readonly answer: Promise<string>
  /** How the agent ended, also without an answer. Rejects only if the agent could not be started. */
  readonly result: Promise<AgentResult>
  /** Ends the agent. Running calls are cancelled. */
  interrupt(): void
}

/** The agent waits before its next request if so many events have not been read. */
const MAX_UNREAD_EVENTS = 1_000

/**
 * Runs a prompt to its end with everything that `haft -p` has: built-in tools, settings, instructions, skills, sub-agents, MCP
 * servers and a saved session. Fails at once if no model is configured, and says what to set.
 */
export function runAgent(prompt: Prompt, options: RunAgentOptions = {}): AgentRun {
  return new InProcessAgent(prompt, options)
}

class InProcessAgent implements AgentRun {
  readonly result: Promise<AgentResult>
  readonly answer: Promise<string>
  readonly #interruption = new AbortController()
  #events: BoundedQueue<SessionEvent> | undefined

  constructor(prompt: Prompt, options: RunAgentOptions) {
    this.result = this.#run(prompt, options)
    this.answer = this.result.then(requireAnswer)
    // A program uses one of the promises or iterates. The other ones must not end the process.
    for (const promise of [this.result, this.answer]) promise.catch(() => {})
  }

  interrupt(): void {
    this.#interruption.abort()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionEvent, void> {
    if (this.#events !== undefined) throw new Error('The events of an agent can be iterated only once.')
    const events = new BoundedQueue<SessionEvent>(MAX_UNREAD_EVENTS)
    this.#events = events
    void this.answer.catch(() => {}).then(() => events.close())
    let isRead = false
    try {
      yield* events
      isRead = true
      await this.answer
    } finally {
      if (!isRead) this.interrupt()
      events.close()
    }
  }

  async #run(prompt: Prompt, options: RunAgentOptions): Promise<AgentResult> {
    const { cwd, env, signal, onProblem, ask } = options
    const signals = [this.#interruption.signal, ...(signal === undefined ? [] : [signal])]
    const { io, host } = new InProcessCommand({
      ...{ args: toPrintArguments(options), cwd, env, signal: AbortSignal.any(signals) },
      onError: (text) =>
        onProblem === undefined ? process.emitWarning(toProblem(text), 'HaftWarning') : onProblem(toProblem(text)),
    })
    const additions = toAdditions(options)
    // The code is loaded here, so that an import of this module is fast.
    const [{ openAgentSession }, { readAgentOptions }, { expandCommand }, { TurnRunner }] = await Promise.all([
      import('../cli/agent-session/open-agent-session.js'),
      import('../cli/options/agent-options.js'),
      import('../cli/agent-session/expand-command.js'),
      import('../cli/stream-json/turn/turn-runner.js'),
    ])
    const printOptions = readAgentOptions(io.args)
    const settings = { ...printOptions.settings, askRules: options.permissions?.ask }
    const session = await openAgentSession(io, host, { ...printOptions, settings }, { ask, additions }).catch(
      throwCause,
    )
    try {
      const expandedText = typeof prompt === 'string' ? await expandCommand(prompt, session, io, host) : undefined
      const output = new EventOutput((event) => this.#events?.push(event))
      await new TurnRunner(session, output).run(expandedText ?? prompt, { signal: host.interruption().signal })
      return { ...output.queryEnd, sessionId: session.id }
    } finally {
      await session.dispose()
    }
  }
}

/** Passes events on, and keeps the end. */
class EventOutput implements PrintOutput {
  readonly handleEvent: PrintOutput['handleEvent']
  #end: QueryEnd | undefined

  constructor(handleEvent: PrintOutput['handleEvent']) {
    this.handleEvent = handleEvent
  }

  get queryEnd(): QueryEnd {
    if (this.#end === undefined) throw new Error('The prompt has not ended.')
    return this.#end
  }

  async begin(): Promise<void> {}

  handleAgentEvent(): void {}

  async end(_result: unknown, end: QueryEnd): Promise<void> {
    this.#end = end
  }
}

function toAdditions({ model, tools = [], mcpServers = {}, hooks }: RunAgentOptions): ProgramAdditions {
  const ownTools = tools.filter((tool) => typeof tool !== 'string')
  return {
    ...(typeof model === 'object' && { model }),
    ...(ownTools.length > 0 && { tools: registerTools(ownTools) }),
    servers: configureLibraryServers(mcpServers),
    hooks,
  }
}

/** Throws the error that a command turned into an exit code, such as a `NoModelError`. */
function throwCause(error: unknown): never {
  throw error instanceof ExitError && error.cause instanceof Error ? error.cause : error
}

/** Removes what a command adds to its warnings. */
function toProblem(text: string): string {
  return text.replace(/^haft: /, '').trimEnd()
}
