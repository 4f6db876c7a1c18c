import { ToolCallError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message, ToolUseBlock } from '../contract/messages.js'
import type { ToolCoreContext } from '../contract/tool.js'
import { CallControl, type CancelReason } from '../execution/call-control.js'
import type { AllowedCall, ParsedCall } from '../execution/call-states.js'
import { type CallOutcome, failedOutcome, performCall, prepareCall } from '../execution/execute-call.js'
import type { ExecutionHost } from '../execution/execution-host.js'
import { areGrown, type ClaimOptions, claimsOf, EXCLUSIVE } from './claims.js'
import { EventStream } from './event-stream.js'
import { QuestionTurns } from './question-turns.js'
import { Schedule } from './schedule.js'

/** At most this many calls of one message at once, unless the host says otherwise. */
export const DEFAULT_MAX_CONCURRENCY = 10

export interface RunOptions extends Omit<ClaimOptions, 'cwd'> {
  readonly host: Omit<ExecutionHost, 'emit'>
  readonly cwd: string
  readonly messages?: readonly Message[]
  readonly parentMessage?: AssistantMessage
  readonly maxConcurrency?: number
  readonly signal?: AbortSignal
  readonly onEvent?: (event: ToolEvent) => void
  /** Told once, when every call has ended and no further comes. */
  readonly onEnd?: () => void
  /** Keeps a changed context, such as another working folder, for the next message. */
  readonly onContext?: (context: Pick<ToolCoreContext, 'cwd'>) => void
}

type Scheduled = ReturnType<Schedule['add']>

/** One call of the message, from when it was added to when it has its outcome. */
interface Entry {
  readonly index: number
  readonly toolUse: ToolUseBlock
  readonly control: CallControl
  parsed?: ParsedCall
  scheduled?: Scheduled
  outcome?: CallOutcome
}

const NO_MESSAGE: AssistantMessage = { type: 'assistant', content: [] }

/** The calls of one model message. They may be added while the model still speaks; each has exactly one outcome, in call order. */
export class CallRun implements AsyncIterable<ToolEvent> {
  readonly #options: RunOptions
  readonly #host: ExecutionHost
  readonly #events = new EventStream<ToolEvent>('call-progressed')
  readonly #schedule: Schedule
  readonly #turns = new QuestionTurns()
  readonly #entries: Entry[] = []
  /** Preparing is in order, too: what a call claims must be known before the next is placed. */
  #lastPlaced: Promise<void> | undefined
  #context: Pick<ToolCoreContext, 'cwd'>
  /** How many calls from the first on have ended and had their context modifiers applied. */
  #settled = 0
  #isEnded = false
  #hasClosed = false
  #cancelled: CancelReason | undefined
  readonly #waiters: { readonly count: number; readonly resolve: () => void }[] = []
  readonly #onAbort = () => this.cancel({ type: 'aborted', message: 'The calls of this message were cancelled.' })

  constructor(options: RunOptions) {
    this.#options = options
    this.#host = { ...options.host, emit: (event) => this.#emit(event) }
    this.#schedule = new Schedule(options.maxConcurrency ?? DEFAULT_MAX_CONCURRENCY)
    this.#context = { cwd: options.cwd }
    if (options.signal?.aborted) this.#onAbort()
    else options.signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Adds a call whose block is complete; it starts as soon as nothing before it is in its way. */
  add(toolUse: ToolUseBlock): void {
    const entry: Entry = { index: this.#entries.length, toolUse, control: new CallControl(this.#options.host.graceMs) }
    this.#entries.push(entry)
    this.#emit({
      type: 'call-queued',
      toolUseId: toolUse.id,
      at: Date.now(),
      toolName: toolUse.name,
      input: toolUse.input,
    })
    if (this.#cancelled !== undefined) entry.control.cancel(this.#cancelled)
    if (this.#lastPlaced === undefined) this.#place(entry)
    else this.#lastPlaced = this.#lastPlaced.then(() => this.#place(entry))
  }

  /** No further call comes. */
  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  /** All outcomes in call order, once every call has ended. */
  async outcomes(): Promise<readonly CallOutcome[]> {
    await this.#until(Number.POSITIVE_INFINITY)
    return this.#entries.map(outcomeOf)
  }

  /** Each outcome as soon as it and all before it are there. */
  async *inOrder(): AsyncGenerator<CallOutcome, void> {
    for (let next = 0; ; next++) {
      await this.#until(next + 1)
      const entry = this.#entries[next]
      if (entry === undefined) return
      yield outcomeOf(entry)
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent> {
    return this.#events[Symbol.asyncIterator]()
  }

  /** Ends every call that has not ended; each still gets its own result. */
  cancel(reason: CancelReason): void {
    this.#cancelled ??= reason
    for (const { control, outcome } of this.#entries) if (outcome === undefined) control.cancel(reason)
    for (const waiting of this.#schedule.waiting) this.#finishUnstarted(waiting.index, reason)
  }

  /** The user speaks up: calls that may be cancelled are, the others finish. Tells whether the message has to wait for any. */
  interrupt(message?: string): { readonly mustWait: boolean } {
    let mustWait = false
    for (const [index, entry] of this.#entries.entries()) {
      if (entry.outcome !== undefined) continue
      if (interruptBehaviorOf(entry) === 'block') {
        mustWait = true
        continue
      }
      const reason: CancelReason = { type: 'interrupted', ...(message !== undefined && { message }) }
      entry.control.cancel(reason)
      if (entry.scheduled?.hasStarted === false) this.#finishUnstarted(index, reason)
    }
    return { mustWait }
  }

  #emit(event: ToolEvent): void {
    this.#events.push(event)
    try {
      this.#options.onEvent?.(event)
    } catch {
      // Who watches calls must not be able to stop them.
    }
  }

  /** Finds out what the call wants and puts it in the schedule; waits only where a schema has to be loaded. */
  #place(entry: Entry): void | Promise<void> {
    try {
      const parsed = prepareCall(
        { toolUse: entry.toolUse, parentMessage: this.#options.parentMessage ?? NO_MESSAGE },
        this.#host,
        entry.control,
      )
      if (!(parsed instanceof Promise)) return this.#schedulePlaced(entry, parsed)
      const placing = parsed.then(
        (ready) => this.#schedulePlaced(entry, ready),
        (error) => this.#scheduleFailed(entry, error),
      )
      this.#lastPlaced ??= placing
      return placing
    } catch (error) {
      this.#scheduleFailed(entry, error)
    }
  }

  /** A call that cannot be parsed waits its turn like one that is not safe, so that results come in order. */
  #scheduleFailed(entry: Entry, error: unknown): void {
    this.#finish(entry, failedOutcome(entry.toolUse.id, error))
  }

  #schedulePlaced(entry: Entry, parsed: ParsedCall): void {
    entry.parsed = parsed
    if (parsed.repairs.length > 0) {
      this.#emit({ type: 'input-repaired', toolUseId: entry.toolUse.id, at: Date.now(), paths: parsed.repairs })
    }
    const { rule, identify } = this.#options
    const claims = claimsOf(parsed, { rule, cwd: this.#context.cwd, ...(identify !== undefined && { identify }) })
    entry.scheduled = this.#schedule.add(claims, () => void this.#perform(entry, parsed))
  }

  async #perform(entry: Entry, parsed: ParsedCall): Promise<void> {
    const { index } = entry
    this.#turns.start(index)
    this.#emit({ type: 'call-started', toolUseId: entry.toolUse.id, at: Date.now() })
    const outcome = await performCall(parsed, {
      host: this.#host,
      control: entry.control,
      cwd: this.#context.cwd,
      messages: this.#options.messages ?? [],
      inTurn: (ask) => this.#schedule.outside(() => this.#turns.ask(index, ask, entry.control.abortController.signal)),
      onDecided: () => this.#turns.decided(index),
      onInputChanged: (call) => this.#onInputChanged(entry, call),
    })
    this.#turns.decided(index)
    this.#finish(entry, outcome)
    if (outcome.error !== undefined && isShellCommand(parsed)) this.#cancelDependents(entry)
  }

  #onInputChanged(entry: Entry, call: AllowedCall): void | Promise<void> {
    const { scheduled } = entry
    const { rule, identify } = this.#options
    if (scheduled === undefined) return
    const claims = claimsOf(call, { rule, cwd: this.#context.cwd, ...(identify !== undefined && { identify }) })
    if (!areGrown(scheduled.claims, claims)) return
    scheduled.claims = claims
    return this.#schedule.widen(scheduled)
  }

  /** A command that failed takes along those queued behind it that counted on its order. */
  #cancelDependents(failed: Entry): void {
    const from = failed.scheduled?.index ?? 0
    for (const waiting of this.#schedule.waiting) {
      if (waiting.index <= from || waiting.claims !== EXCLUSIVE) continue
      const message = `It was not started, because ${failed.parsed?.tool.name ?? 'a command'} before it in the same message failed.`
      this.#finishUnstarted(waiting.index, { type: 'aborted', message })
    }
  }

  #finishUnstarted(scheduleIndex: number, reason: CancelReason): void {
    const entry = this.#entries.find(({ scheduled }) => scheduled?.index === scheduleIndex)
    if (entry === undefined || entry.outcome !== undefined) return
    entry.control.cancel(reason)
    const message =
      reason.type === 'timed-out'
        ? 'It ran out of time.'
        : (reason.message ?? 'The user cancelled it before it started.')
    this.#finish(entry, failedOutcome(entry.toolUse.id, new ToolCallError('cancelled', message)))
  }

  #finish(entry: Entry, outcome: CallOutcome): void {
    if (entry.outcome !== undefined) return
    entry.outcome = outcome
    this.#emit({
      ...{ type: 'call-ended', toolUseId: entry.toolUse.id, at: Date.now(), result: outcome.block },
      ...(outcome.error !== undefined && { errorCode: outcome.error.code }),
    })
    this.#applyModifiers()
    if (entry.scheduled !== undefined) this.#schedule.finish(entry.scheduled)
    this.#wake()
  }

  /** In call order, and only once all earlier calls have ended: neighbours never see each other's. */
  #applyModifiers(): void {
    for (
      let entry = this.#entries[this.#settled];
      entry?.outcome !== undefined;
      entry = this.#entries[++this.#settled]
    ) {
      const modify = entry.outcome.contextModifier
      if (modify === undefined) continue
      try {
        const { cwd } = modify({ ...this.#coreContext(entry), ...this.#context })
        this.#context = { cwd }
        this.#options.onContext?.(this.#context)
      } catch {
        // A modifier that fails changes nothing; its call has been answered already.
      }
    }
  }

  #coreContext({ toolUse, control }: Entry): ToolCoreContext {
    const { abortController } = control
    return {
      toolUseId: toolUse.id,
      abortController,
      signal: abortController.signal,
      messages: this.#options.messages ?? [],
      ...this.#context,
      ...this.#host.contextOptions,
    }
  }

  /** Resolves when so many calls from the first on have ended, or all have and no further comes. */
  #until(count: number): Promise<void> {
    if (this.#isReached(count)) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ count, resolve }))
  }

  #isReached(count: number): boolean {
    return this.#settled >= count || (this.#isEnded && this.#settled === this.#entries.length)
  }

  #wake(): void {
    for (let at = this.#waiters.length - 1; at >= 0; at--) {
      const waiter = this.#waiters[at]
      if (waiter === undefined || !this.#isReached(waiter.count)) continue
      this.#waiters.splice(at, 1)
      waiter.resolve()
    }
    if (this.#hasClosed || !this.#isReached(Number.POSITIVE_INFINITY)) return
    this.#hasClosed = true
    this.#events.close()
    this.#options.onEnd?.()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }
}

function outcomeOf({ outcome, toolUse }: Entry): CallOutcome {
  return outcome ?? failedOutcome(toolUse.id, new ToolCallError('result_lost', 'The call ended without an answer.'))
}

function interruptBehaviorOf({ parsed }: Entry): 'cancel' | 'block' {
  try {
    return parsed?.tool.interruptBehavior?.() ?? 'block'
  } catch {
    // A tool that cannot say is one that must not be broken off.
    return 'block'
  }
}

/** Tools that are given a shell run commands, whatever they are called. */
function isShellCommand({ tool }: ParsedCall): boolean {
  return tool.needs?.includes('shell') ?? false
}
