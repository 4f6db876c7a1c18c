import { reasonOf } from '../../shared/reason-of.js'
import { version } from '../../shared/version.js'
import type { AgentSession, Prompt } from '../agent-session/agent-session.js'
import { openAgentSession } from '../agent-session/open-agent-session.js'
import type { PromptCommand } from '../agent-session/prompt-commands.js'
import { BoundedQueue } from '../io/bounded-queue.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { EXIT } from '../io/exit.js'
import { type InputLine, readLines } from '../io/read-lines.js'
import type { AgentOptions } from '../options/agent-options.js'
import { DriverQuestions } from './control/driver-questions.js'
import { StreamOutput } from './lines/stream-output.js'
import { type ControlRequest, type InputMessage, parseInputLine } from './schema/input-schema.js'
import { TurnRunner } from './turn/turn-runner.js'

/** Runs a session that another program drives, for `--input-format stream-json`. */
export async function runDrivenSession(io: CommandIo, host: CommandHost, options: AgentOptions): Promise<number> {
  let driver: SessionDriver | undefined
  const questions =
    options.permissionPromptTool === 'stdio'
      ? new DriverQuestions({
          write: async (body) => output.write(body),
          waitForMessage: async (agentId) => output.waitForMessage(agentId),
          interrupt: () => driver?.interrupt(),
        })
      : undefined
  const session = await openAgentSession(io, host, options, {
    ask: questions?.ask,
    askPort: questions?.askPort,
  })
  const output = new StreamOutput(host, session.id, options).follow(session)
  try {
    await output.begin(session.facts)
    const loadCommands = async () => {
      const { loadPromptCommands } = await import('../agent-session/prompt-commands.js')
      return loadPromptCommands(session, io, host)
    }
    driver = new SessionDriver({ session, host, output, questions, loadCommands })
    return await driver.run()
  } finally {
    await session.dispose()
  }
}

/** Further prompts are rejected, so that the queue cannot exhaust the memory. */
const MAX_QUEUED_PROMPTS = 1_000
const MAX_QUEUED_BYTES = 128 * 1024 * 1024
const MAX_LINE_BYTES = 64 * 1024 * 1024

interface QueuedPrompt {
  /** Undefined if the model continues because a monitor or a teammate has reported something. */
  readonly prompt: Prompt | undefined
  readonly bytes: number
}

export interface DriveOptions {
  readonly session: AgentSession
  readonly host: CommandHost
  readonly output: StreamOutput
  /** Set if the driving program answers permission questions. */
  readonly questions: DriverQuestions | undefined
  /** Loads the slash commands that expand to prompts. */
  readonly loadCommands: () => Promise<readonly PromptCommand[]>
}

/** Handles the input lines of a driving program: prompts, answers to questions and control requests. */
export class SessionDriver {
  readonly #options: DriveOptions
  readonly #prompts = new BoundedQueue<QueuedPrompt>(Number.POSITIVE_INFINITY)
  #queueSize = { count: 0, bytes: 0 }
  #turn: AbortController | undefined
  /** Whether the next prompt was interrupted before it started. */
  #isNextInterrupted = false
  #hasInvalidLine = false
  #isWakeQueued = false

  constructor(options: DriveOptions) {
    this.#options = options
  }

  /**
   * Runs until the input ends and all prompts are done. Returns the exit code of the last prompt, or a failure if a
   * line was invalid.
   */
  async run(): Promise<number> {
    const { host, session, output } = this.#options
    const { signal } = host.interruption()
    const stop = () => {
      this.interrupt()
      this.#close()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    session.onWake = () => this.#wake()
    void this.#readInput()
    const turnRunner = new TurnRunner(session, output)
    let code: number = EXIT.done
    for await (const { prompt, bytes } of this.#prompts) {
      this.#queueSize = { count: this.#queueSize.count - 1, bytes: this.#queueSize.bytes - bytes }
      if (prompt === undefined) this.#isWakeQueued = false
      if (signal.aborted) break
      // An earlier prompt may have taken the notices already.
      if (prompt === undefined && !session.hasNotices) continue
      code = await this.#runTurn(prompt, turnRunner)
    }
    return code === EXIT.done && this.#hasInvalidLine ? EXIT.failed : code
  }

  async #runTurn(prompt: Prompt | undefined, turnRunner: TurnRunner): Promise<number> {
    const turn = new AbortController()
    this.#turn = turn
    if (this.#isNextInterrupted) turn.abort()
    this.#isNextInterrupted = false
    const expandedPrompt = prompt === undefined ? undefined : await this.#expand(prompt)
    const isRefused = prompt !== undefined && expandedPrompt === undefined
    const code = isRefused ? EXIT.failed : await turnRunner.run(expandedPrompt, { signal: turn.signal })
    this.#turn = undefined
    return code
  }

  /** Lets the model continue after the prompts that are queued, unless one of them has taken the notices. */
  #wake(): void {
    if (this.#isWakeQueued) return
    this.#isWakeQueued = true
    this.#queueSize = { ...this.#queueSize, count: this.#queueSize.count + 1 }
    void this.#prompts.push({ prompt: undefined, bytes: 0 })
  }

  /** Expands `/name arguments`. Returns undefined if that fails, for example because an argument is missing. */
  async #expand(prompt: Prompt): Promise<Prompt | undefined> {
    if (typeof prompt !== 'string' || !prompt.startsWith('/')) return prompt
    const { loadCommands, host } = this.#options
    try {
      const { expandPrompt } = await import('../agent-session/prompt-commands.js')
      return (await expandPrompt(prompt, await loadCommands(), host.interruption().signal)) ?? prompt
    } catch (error) {
      await this.#refuse(0, `the prompt ${JSON.stringify(prompt.slice(0, 100))} is refused: ${reasonOf(error)}`)
      return undefined
    }
  }

  /** Interrupts the running or next prompt. Later prompts stay queued. */
  interrupt(): void {
    if (this.#turn === undefined) this.#isNextInterrupted = this.#queueSize.count > 0
    else this.#turn.abort()
  }

  #close(): void {
    this.#prompts.close()
    this.#options.questions?.close()
  }

  async #readInput(): Promise<void> {
    const { host } = this.#options
    try {
      for await (const line of readLines(host.input(), { maxBytes: MAX_LINE_BYTES })) await this.#handleLine(line)
    } catch (error) {
      await this.#refuse(0, `reading the input failed: ${reasonOf(error)}`)
    }
    this.#close()
  }

  async #handleLine(line: InputLine): Promise<void> {
    if ('problem' in line) return this.#refuse(line.number, `line ${line.number} ${line.problem}`)
    if (line.text.trim() === '') return
    const parsedLine = parseInputLine(line.text)
    if ('message' in parsedLine) return this.#handleMessage(parsedLine.message, line)
    if (parsedLine.requestId === undefined)
      return this.#refuse(line.number, `line ${line.number} ${parsedLine.problem}`)
    return this.#respond(parsedLine.requestId, `The request ${parsedLine.problem}`)
  }

  async #handleMessage(message: InputMessage, { number, bytes }: InputLine): Promise<void> {
    if (message.type === 'control_request') return this.#handleControl(message)
    if (message.type === 'control_response') {
      const { questions } = this.#options
      const problem =
        questions === undefined
          ? 'answers a permission question, but none are sent; to receive them, use --permission-prompt-tool stdio'
          : questions.answer(message)
      return problem === undefined ? undefined : this.#refuse(number, `line ${number} ${problem}`)
    }
    const newQueueSize = { count: this.#queueSize.count + 1, bytes: this.#queueSize.bytes + bytes }
    if (newQueueSize.count > MAX_QUEUED_PROMPTS || newQueueSize.bytes > MAX_QUEUED_BYTES)
      return this.#refuse(
        number,
        `line ${number} is rejected: too many queued prompts; wait for results before sending more`,
      )
    this.#queueSize = newQueueSize
    void this.#prompts.push({ prompt: message.message.content, bytes })
  }

  async #handleControl({ request_id: requestId, request }: ControlRequest): Promise<void> {
    const { session } = this.#options
    switch (request.subtype) {
      case 'initialize':
        return this.#respond(requestId, undefined, {
          ...{ version, session_id: session.id },
          commands: (await this.#options.loadCommands()).map(({ name, description, argumentHint = '' }) => ({
            ...{ name, description, argumentHint },
          })),
        })
      case 'interrupt':
        this.interrupt()
        return this.#respond(requestId, undefined)
      case 'set_permission_mode':
        return this.#respond(requestId, await session.setMode(request.mode), { mode: request.mode })
      case 'set_model': {
        const problem = await session.setModel(request.model ?? undefined).then(() => undefined, reasonOf)
        return this.#respond(requestId, problem)
      }
    }
  }

  #respond(requestId: string, error: string | undefined, response?: Readonly<Record<string, unknown>>): Promise<void> {
    const responseBody =
      error === undefined
        ? ({ subtype: 'success', request_id: requestId, ...(response !== undefined && { response }) } as const)
        : ({ subtype: 'error', request_id: requestId, error } as const)
    return this.#options.output.write({ type: 'control_response', response: responseBody })
  }

  #refuse(line: number, message: string): Promise<void> {
    this.#hasInvalidLine = true
    return this.#options.output.write({ type: 'error', line, message })
  }
}
