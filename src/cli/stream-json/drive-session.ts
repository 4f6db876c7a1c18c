import { randomUUID } from 'node:crypto'
import { reasonOf } from '../../shared/reason-of.js'
import { version } from '../../shared/version.js'
import { waitUnlessAborted } from '../../shared/waiting.js'
import type { AgentSession, Prompt } from '../agent-session/agent-session.js'
import { loadCommands } from '../agent-session/expand-command.js'
import { openAgentSession } from '../agent-session/open-agent-session.js'
import type { PromptCommand } from '../agent-session/prompt-commands.js'
import { BoundedQueue } from '../io/bounded-queue.js'
import type { CommandHost, CommandIo } from '../io/command.js'
import { EXIT } from '../io/exit.js'
import type { AgentOptions } from '../options/agent-options.js'
import { ControlChannel } from './control/control-channel.js'
import { ControlRequests } from './control/control-requests.js'
import { createElicitationPort, DriverQuestions } from './control/driver-questions.js'
import { applyInitialize, type InitializedSession } from './control/initialize.js'
import { InputReader, type ReceivedLine } from './control/input-reader.js'
import { ProgramServers } from './control/program-servers.js'
import { PromptTimes } from './control/prompt-times.js'
import { StreamOutput } from './lines/stream-output.js'
import type { ControlRequest, InitializeRequest, InputMessage, PromptLine } from './schema/input-schema.js'
import { TurnRunner } from './turn/turn-runner.js'

/** Runs a session that another program drives, for `--input-format stream-json`. */
export async function runDrivenSession(io: CommandIo, host: CommandHost, options: AgentOptions): Promise<number> {
  const output = new StreamOutput(host, options)
  const channel = new ControlChannel((body) => output.write(body))
  const reader = new InputReader(host.input(), (answer) => channel.receive(answer))
  void reader.ended.then(() => channel.close())
  const { signal } = host.interruption()
  // The first line may configure the session.
  const firstLine = (await waitUnlessAborted(reader.next(), signal))?.value
  if (signal.aborted) return EXIT.interrupted
  const initialize = findInitialize(firstLine)
  const servers = new ProgramServers(channel)
  let driver: SessionDriver | undefined
  try {
    const initialized: InitializedSession =
      initialize === undefined
        ? { options, additions: {} }
        : applyInitialize(initialize.request, options, { channel, servers })
    const questions = new DriverQuestions({
      ...{ channel, hasEvents: options.hasEvents, asksLikeAgentSdk: initialize !== undefined },
      write: (body) => output.write(body),
      waitForMessage: (agentId) => output.waitForMessage(agentId),
      interrupt: () => driver?.interrupt(),
    })
    const isAsked = options.permissionPromptTool === 'stdio'
    const session = await openAgentSession(io, host, initialized.options, {
      ...(isAsked && { ask: questions.ask }),
      askPort: isAsked ? questions.askPort : initialize && createElicitationPort(channel),
      additions: initialized.additions,
    })
    try {
      output.open(session, { forwardsAgentText: initialize?.request.forwardSubagentText ?? initialize === undefined })
      const promptTimes = new PromptTimes()
      const requests = new ControlRequests({
        ...{ session, promptTimes, programServers: servers, home: host.homeDir, variables: io.variables },
        serverNames: initialized.additions.servers?.map(({ name }) => name) ?? [],
        mayBypassPermissions: options.mayBypassPermissions || session.facts.mode === 'bypassPermissions',
      })
      driver = new SessionDriver({
        ...{ session, host, output, channel, reader, requests, promptTimes },
        repeatsPrompts: options.repeatsPrompts,
        announcesState: io.variables.CLAUDE_CODE_SDK_READS_SESSION_STATE === '1',
        loadCommands: () => loadCommands(session, io, host),
      })
      return await driver.run(firstLine)
    } finally {
      await session.dispose()
    }
  } catch (error) {
    // Also printed by the caller. The program may wait for an answer.
    if (initialize !== undefined) await output.respond(initialize.request_id, reasonOf(error))
    throw error
  } finally {
    reader.close()
    channel.close()
  }
}

function findInitialize(
  received: ReceivedLine | undefined,
): (ControlRequest & { readonly request: InitializeRequest }) | undefined {
  if (received === undefined || !('message' in received.line)) return undefined
  const { message } = received.line
  if (message.type !== 'control_request' || message.request.subtype !== 'initialize') return undefined
  return { ...message, request: message.request }
}

/** Further prompts are rejected, so that the queue cannot exhaust the memory. */
const MAX_QUEUED_PROMPTS = 1_000
const MAX_QUEUED_BYTES = 128 * 1024 * 1024

interface QueuedPrompt {
  /** Undefined if the model continues because a monitor or a teammate has reported something. */
  readonly prompt: Prompt | undefined
  readonly bytes: number
  /** The id that the program gave the prompt, or one of Haft. */
  readonly uuid: string
}

export interface DriveOptions {
  readonly session: AgentSession
  readonly host: CommandHost
  readonly output: StreamOutput
  readonly channel: ControlChannel
  readonly reader: InputReader
  readonly requests: Pick<ControlRequests, 'handle'>
  readonly promptTimes: PromptTimes
  /** Whether each prompt is printed when it is used. */
  readonly repeatsPrompts: boolean
  /** Whether lines say if prompts are left. */
  readonly announcesState: boolean
  /** Loads the slash commands that expand to prompts. */
  readonly loadCommands: () => Promise<readonly PromptCommand[]>
}

/** Handles the input lines of a driving program: prompts and control requests. */
export class SessionDriver {
  readonly #options: DriveOptions
  readonly #prompts = new BoundedQueue<QueuedPrompt>(Number.POSITIVE_INFINITY)
  #queueSize = { count: 0, bytes: 0 }
  #turn: AbortController | undefined
  /** Whether the next prompt was interrupted before it started. */
  #isNextInterrupted = false
  /** The uuids of queued prompts that must not run, because the program has cancelled them. */
  readonly #waitingIds = new Set<string>()
  readonly #cancelledIds = new Set<string>()
  #isInitialized = false
  #hasInvalidLine = false
  #isWakeQueued = false

  constructor(options: DriveOptions) {
    this.#options = options
  }

  /**
   * Runs until the input ends and all prompts are done. Returns the exit code of the last prompt, or a failure if a
   * line was invalid.
   */
  async run(firstLine?: ReceivedLine): Promise<number> {
    const { host, session, output } = this.#options
    const { signal } = host.interruption()
    const stop = () => {
      this.interrupt()
      this.#close()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    session.onWake = () => this.#wake()
    void this.#readInput(firstLine)
    const turnRunner = new TurnRunner(session, output)
    let code: number = EXIT.done
    for await (const queuedPrompt of this.#prompts) {
      const { prompt, bytes, uuid } = queuedPrompt
      this.#queueSize = { count: this.#queueSize.count - 1, bytes: this.#queueSize.bytes - bytes }
      this.#waitingIds.delete(uuid)
      if (this.#cancelledIds.delete(uuid)) continue
      if (prompt === undefined) this.#isWakeQueued = false
      if (signal.aborted) break
      // An earlier prompt may have taken the notices already.
      if (prompt === undefined && !session.hasNotices) continue
      code = await this.#runTurn(queuedPrompt, turnRunner)
    }
    return code === EXIT.done && this.#hasInvalidLine ? EXIT.failed : code
  }

  async #runTurn({ prompt, uuid }: QueuedPrompt, turnRunner: TurnRunner): Promise<number> {
    const { session, output, promptTimes, loadCommands } = this.#options
    const turn = new AbortController()
    this.#turn = turn
    if (this.#isNextInterrupted) turn.abort()
    this.#isNextInterrupted = false
    promptTimes.add(uuid)
    await this.#announceState('running')
    await output.begin(session.facts, async () => (await loadCommands()).map(({ name }) => name))
    if (prompt !== undefined) await this.#repeat(prompt, uuid)
    const expandedPrompt = prompt === undefined ? undefined : await this.#expand(prompt)
    const isRefused = prompt !== undefined && expandedPrompt === undefined
    const code = isRefused ? EXIT.failed : await turnRunner.run(expandedPrompt, { signal: turn.signal })
    this.#turn = undefined
    // Prompts that came too late for this turn, for instance because it was interrupted.
    for (const late of session.takeQueued()) this.#queue({ prompt: late, bytes: 0, uuid: randomUUID() })
    if (this.#queueSize.count === 0) await this.#announceState('idle')
    return this.#isInitialized ? toProgramExitCode(code) : code
  }

  /** Tells the Agent SDK when it may close the input. */
  async #announceState(state: 'idle' | 'running'): Promise<void> {
    const { output, announcesState } = this.#options
    if (announcesState)
      await output.write({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true })
  }

  async #repeat(prompt: Prompt, uuid: string): Promise<void> {
    const { output, repeatsPrompts } = this.#options
    if (repeatsPrompts) await output.repeatPrompt(prompt, uuid)
  }

  /** Lets the model continue after the prompts that are queued, unless one of them has taken the notices. */
  #wake(): void {
    if (this.#isWakeQueued) return
    this.#isWakeQueued = true
    this.#queue({ prompt: undefined, bytes: 0, uuid: randomUUID() })
  }

  #queue(queuedPrompt: QueuedPrompt): void {
    const { count, bytes } = this.#queueSize
    this.#queueSize = { count: count + 1, bytes: bytes + queuedPrompt.bytes }
    if (queuedPrompt.prompt !== undefined) this.#waitingIds.add(queuedPrompt.uuid)
    void this.#prompts.push(queuedPrompt)
  }

  /** Expands `/name arguments`. Returns undefined if that fails, for example because an argument is missing. */
  async #expand(prompt: Prompt): Promise<Prompt | undefined> {
    const text = readOnlyText(prompt)
    if (text === undefined || !text.startsWith('/')) return prompt
    const { loadCommands, host } = this.#options
    try {
      const { expandPrompt } = await import('../agent-session/prompt-commands.js')
      return (await expandPrompt(text, await loadCommands(), host.interruption().signal)) ?? prompt
    } catch (error) {
      await this.#refuse(0, `the prompt ${JSON.stringify(text.slice(0, 100))} is refused: ${reasonOf(error)}`)
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
    this.#options.channel.close()
  }

  async #readInput(firstLine: ReceivedLine | undefined): Promise<void> {
    const { reader } = this.#options
    let received = firstLine ?? (await reader.next())
    while (received !== undefined) {
      await this.#handleLine(received)
      received = await reader.next()
    }
    this.#close()
  }

  async #handleLine({ number, bytes, line }: ReceivedLine): Promise<void> {
    if ('message' in line) return this.#handleMessage(line.message, { number, bytes })
    if (line.requestId === undefined) return this.#refuse(number, `line ${number} ${line.problem}`)
    return this.#options.output.respond(line.requestId, `The request ${line.problem}`)
  }

  async #handleMessage(
    message: Exclude<InputMessage, { type: 'control_response' }>,
    { number, bytes }: Pick<ReceivedLine, 'number' | 'bytes'>,
  ): Promise<void> {
    if (message.type === 'control_cancel_request') return
    if (message.type === 'control_request') return this.#handleControl(message)
    if (this.#turn !== undefined && (message.priority === 'now' || message.priority === 'next'))
      return this.#steer(message)
    const { count, bytes: queuedBytes } = this.#queueSize
    if (count >= MAX_QUEUED_PROMPTS || queuedBytes + bytes > MAX_QUEUED_BYTES)
      return this.#refuse(
        number,
        `line ${number} is rejected: too many queued prompts; wait for results before sending more`,
      )
    this.#queue({ prompt: message.message.content, bytes, uuid: message.uuid ?? randomUUID() })
  }

  /** Gives a prompt to the model that is working. */
  async #steer({ message, uuid }: PromptLine): Promise<void> {
    this.#options.session.interject(message.content)
    await this.#repeat(message.content, uuid ?? randomUUID())
  }

  async #handleControl({ request_id: requestId, request }: ControlRequest): Promise<void> {
    const { output, requests } = this.#options
    try {
      if (request.subtype === 'interrupt')
        await output.respond(requestId, undefined, this.#interruptFor(request.cancel_queued === true))
      else if (request.subtype === 'initialize')
        await output.respond(requestId, undefined, await this.#describeSession(request))
      else await output.respond(requestId, undefined, await requests.handle(request))
    } catch (error) {
      await output.respond(requestId, reasonOf(error))
    }
  }

  #interruptFor(cancelsQueued: boolean) {
    const waitingIds = [...this.#waitingIds]
    if (cancelsQueued) for (const uuid of waitingIds) this.#cancelledIds.add(uuid)
    this.interrupt()
    return cancelsQueued ? { still_queued: [], cancelled: waitingIds } : { still_queued: waitingIds }
  }

  async #describeSession(request: InitializeRequest): Promise<Readonly<Record<string, unknown>>> {
    const { session, loadCommands } = this.#options
    if (this.#isInitialized && request.hooks != null && Object.keys(request.hooks).length > 0)
      throw new Error('hooks can only be set by the first line.')
    this.#isInitialized = true
    const { describeInitialized } = await import('./control/describe-initialized.js')
    return describeInitialized({ session, request, commands: await loadCommands(), version })
  }

  #refuse(line: number, message: string): Promise<void> {
    this.#hasInvalidLine = true
    return this.#options.output.write({ type: 'error', line, message })
  }
}

/**
 * The Agent SDK takes every code but 0 for a crash. A refused call or an interruption is no crash: the result line says what
 * happened.
 */
function toProgramExitCode(code: number): number {
  return code === EXIT.permission || code === EXIT.interrupted ? EXIT.done : code
}

/** Returns the text of a prompt that consists of one text; undefined for other prompts. */
function readOnlyText(prompt: Prompt): string | undefined {
  if (typeof prompt === 'string') return prompt
  const [block] = prompt
  return prompt.length === 1 && block?.type === 'text' ? block.text : undefined
}
