import { reasonOf } from '../../../../shared/reason-of.js'
import { version } from '../../../../shared/version.js'
import { BoundedQueue } from '../../../io/bounded-queue.js'
import type { CommandHost, CommandIo } from '../../../io/command.js'
import { EXIT } from '../../../io/exit.js'
import { type InputLine, readLines } from '../../../io/read-lines.js'
import type { PrintOptions } from '../options/print-options.js'
import { TurnRunner } from '../output/turn-runner.js'
import { type ControlRequest, type InputMessage, parseInputLine } from '../schema/input-schema.js'
import type { AgentSession, Prompt } from '../session/agent-session.js'
import { openAgentSession } from '../session/open-agent-session.js'
import { DriverQuestions } from './driver-questions.js'
import { StreamOutput } from './stream-output.js'

/** `--input-format stream-json`: another program holds the conversation. */
export async function runDriven(io: CommandIo, host: CommandHost, options: PrintOptions): Promise<number> {
  let driver: SessionDriver | undefined
  const questions =
    options.permissionPromptTool === 'stdio'
      ? new DriverQuestions({
          write: async (body) => output.write(body),
          messageTold: async (agentId) => output.messageTold(agentId),
          interrupt: () => driver?.interrupt(),
        })
      : undefined
  const session = await openAgentSession(io, host, options, questions?.ask)
  const output = new StreamOutput(host, session.id, options).follow(session)
  try {
    await output.begin(session.facts)
    driver = new SessionDriver({ session, host, output, questions })
    return await driver.run()
  } finally {
    await session.dispose()
  }
}

/** Prompts that may wait; a program that sends more is told so. */
const MAX_WAITING = 1_000
const MAX_WAITING_BYTES = 128 * 1024 * 1024
const MAX_LINE_BYTES = 64 * 1024 * 1024

interface WaitingPrompt {
  readonly prompt: Prompt
  readonly bytes: number
}

export interface DriveOptions {
  readonly session: AgentSession
  readonly host: CommandHost
  readonly output: StreamOutput
  /** Where the program that drives answers permission questions. */
  readonly questions: DriverQuestions | undefined
}

/** Another program drives the session by lines: prompts, answers to questions, and requests that need no turn. */
export class SessionDriver {
  readonly #options: DriveOptions
  readonly #prompts = new BoundedQueue<WaitingPrompt>(Number.POSITIVE_INFINITY)
  #waiting = { count: 0, bytes: 0 }
  #turn: AbortController | undefined
  /** The prompt that is to begin next was interrupted before it could. */
  #isNextInterrupted = false
  #hasBadLine = false

  constructor(options: DriveOptions) {
    this.#options = options
  }

  /** Until the input ends and every prompt has been worked on; gives the exit code that the last one calls for. */
  async run(): Promise<number> {
    const { host, session, output } = this.#options
    const { signal } = host.interruption()
    const stop = () => {
      this.interrupt()
      this.#close()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    void this.#read()
    const turns = new TurnRunner(session, output)
    let code: number = EXIT.done
    for await (const { prompt, bytes } of this.#prompts) {
      this.#waiting = { count: this.#waiting.count - 1, bytes: this.#waiting.bytes - bytes }
      if (signal.aborted) break
      this.#turn = new AbortController()
      if (this.#isNextInterrupted) this.#turn.abort()
      this.#isNextInterrupted = false
      code = await turns.run(prompt, { signal: this.#turn.signal })
      this.#turn = undefined
    }
    return code === EXIT.done && this.#hasBadLine ? EXIT.failed : code
  }

  /** Ends the prompt that is worked on, or is about to be; those that wait behind it stay. */
  interrupt(): void {
    if (this.#turn === undefined) this.#isNextInterrupted = this.#waiting.count > 0
    else this.#turn.abort()
  }

  #close(): void {
    this.#prompts.close()
    this.#options.questions?.close()
  }

  async #read(): Promise<void> {
    const { host } = this.#options
    try {
      for await (const line of readLines(host.input(), { maxBytes: MAX_LINE_BYTES })) await this.#take(line)
    } catch (error) {
      await this.#refuse(0, `the input broke off: ${reasonOf(error)}`)
    }
    this.#close()
  }

  async #take(line: InputLine): Promise<void> {
    if ('problem' in line) return this.#refuse(line.number, `line ${line.number} ${line.problem}`)
    if (line.text.trim() === '') return
    const parsed = parseInputLine(line.text)
    if ('message' in parsed) return this.#obey(parsed.message, line)
    if (parsed.requestId === undefined) return this.#refuse(line.number, `line ${line.number} ${parsed.problem}`)
    return this.#respond(parsed.requestId, `The request ${parsed.problem}`)
  }

  async #obey(message: InputMessage, { number, bytes }: InputLine): Promise<void> {
    if (message.type === 'control_request') return this.#control(message)
    if (message.type === 'control_response') {
      const { questions } = this.#options
      const problem = questions === undefined ? 'answers, and nothing was asked' : questions.answer(message)
      return problem === undefined ? undefined : this.#refuse(number, `line ${number} ${problem}`)
    }
    const waiting = { count: this.#waiting.count + 1, bytes: this.#waiting.bytes + bytes }
    if (waiting.count > MAX_WAITING || waiting.bytes > MAX_WAITING_BYTES)
      return this.#refuse(number, `line ${number} is not taken: too many prompts wait`)
    this.#waiting = waiting
    void this.#prompts.push({ prompt: message.message.content, bytes })
  }

  async #control({ request_id: requestId, request }: ControlRequest): Promise<void> {
    const { session } = this.#options
    switch (request.subtype) {
      case 'initialize':
        return this.#respond(requestId, undefined, { version, commands: [], session_id: session.id })
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
    const answer =
      error === undefined
        ? ({ subtype: 'success', request_id: requestId, ...(response !== undefined && { response }) } as const)
        : ({ subtype: 'error', request_id: requestId, error } as const)
    return this.#options.output.write({ type: 'control_response', response: answer })
  }

  #refuse(line: number, message: string): Promise<void> {
    this.#hasBadLine = true
    return this.#options.output.write({ type: 'error', line, message })
  }
}
