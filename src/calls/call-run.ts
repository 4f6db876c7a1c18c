import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message, ToolUseBlock } from '../contract/messages.js'
import { findToolByName } from '../contract/tool/identity.js'
import type { Tool } from '../contract/tool/tool.js'
import { QuestionLock } from './asking/question-lock.js'
import { QuestionTurns } from './asking/question-turns.js'
import { CallEntry, type EntryRun } from './call-entry.js'
import type { ExecutionHost } from './call-environment.js'
import type { CallRunOptions } from './call-run-options.js'
import type { AllowedCall, ParsedCall } from './call-states.js'
import type { CancelReason } from './cancellation.js'
import { ContextChain } from './context-chain.js'
import { EventOutlet } from './events/event-outlet.js'
import { type CallOutcome, failedOutcome, performCall, prepareCall } from './perform-call.js'
import { areConflicting } from './schedule/are-conflicting.js'
import { areGrown } from './schedule/are-grown.js'
import { type Claims, claimsOf, EXCLUSIVE } from './schedule/claims.js'
import { EndedPrefix } from './schedule/ended-prefix.js'
import { Schedule } from './schedule/schedule.js'
import { type Statement, statementOf } from './schedule/stated-resources.js'

/** At most this many calls of one message at once, unless the host says otherwise. */
const DEFAULT_MAX_CONCURRENCY = 10

const NO_MESSAGE: AssistantMessage = { type: 'assistant', content: [] }
const NO_MESSAGES: readonly Message[] = []

/** The calls of one model message. They may be added while the model still speaks; each has exactly one outcome, in call order. */
export class CallRun implements AsyncIterable<ToolEvent> {
  readonly #options: CallRunOptions
  #host: ExecutionHost
  readonly #events: EventOutlet
  readonly #entries: CallEntry[] = []
  readonly #ended = new EndedPrefix()
  readonly #ofEntries: EntryRun
  readonly #schedule: Schedule
  readonly #turns = new QuestionTurns()
  readonly #questions: QuestionLock
  readonly #context: ContextChain
  /** The first call whose claims are not in the schedule: they go in by call order, whatever order inputs are parsed in. */
  #nextToPlace = 0
  #isPlacing = false
  /** How many calls from the first on have had their context modifiers applied. */
  #passed = 0
  /** Nothing behind this call is placed before it has passed: a command may give every name another meaning. */
  #barrier = -1
  /** Nothing behind this call that looks at the working folder is placed before it has passed. */
  #cwdMover = -1
  readonly #failedCommands: CallEntry[] = []
  #cancelled: CancelReason | undefined
  #interrupted: CancelReason | undefined
  #isComplete = false
  #hasClosed = false
  readonly #onAbort = () => this.cancel({ type: 'aborted', message: 'The calls of this message were cancelled.' })

  constructor(options: CallRunOptions) {
    const { host, cwd, maxConcurrency, signal, onEvent } = options
    this.#options = options
    this.#questions = options.questions ?? new QuestionLock()
    this.#events = new EventOutlet(onEvent)
    this.#host = { ...host, emit: (event) => this.#events.emit(event) }
    this.#schedule = new Schedule(limitOf(maxConcurrency), this.#ended)
    this.#context = new ContextChain({ cwd, options: host.contextOptions.options })
    this.#ofEntries = this.#handlers()
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Adds a call whose block is complete; it starts as soon as nothing before it is in its way. */
  add(toolUse: ToolUseBlock): void {
    if (this.#isComplete) throw new Error('No call can be added to a message that has ended.')
    const entry = new CallEntry(this.#entries.length, toolUse, this.#ofEntries)
    this.#entries.push(entry)
    this.#events.queued(toolUse)
    if (this.#cancelled !== undefined) this.#finish(entry, entry.unbegun(this.#cancelled))
    else this.#prepare(entry)
  }

  /** Adds a call that cannot be made: it has its place among the others, and nothing but its error. */
  refuse(toolUse: ToolUseBlock, error: unknown): void {
    if (this.#isComplete) throw new Error('No call can be added to a message that has ended.')
    const entry = new CallEntry(this.#entries.length, toolUse, this.#ofEntries)
    this.#entries.push(entry)
    this.#events.queued(toolUse)
    this.#finish(entry, failedOutcome(toolUse.id, error))
  }

  /** Whether no further call can be added. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** No further call comes. */
  end(): void {
    this.#isComplete = true
    this.#closeIfEnded()
  }

  /** All outcomes in call order, once every call has ended. */
  async outcomes(): Promise<readonly CallOutcome[]> {
    await this.#ended.reach(Number.POSITIVE_INFINITY)
    return this.#entries.map(outcomeOf)
  }

  /** Each outcome as soon as it and all before it are there. */
  async *inOrder(): AsyncGenerator<CallOutcome, void> {
    for (let next = 0; ; next++) {
      await this.#ended.reach(next + 1)
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
    this.#cancelAll(this.#entries.filter(isPending), reason)
  }

  /** The message broke off: every call is cancelled, and what those that had begun came to is told. */
  async discard(message: string): Promise<readonly CallOutcome[]> {
    this.cancel({ type: 'aborted', message })
    this.end()
    await this.outcomes()
    return this.#entries.filter(({ hasBegun }) => hasBegun).map(outcomeOf)
  }

  /** The user speaks up: calls that may be cancelled are, the others finish. Tells whether the message has to wait for any. */
  interrupt(message?: string): { readonly mustWait: boolean } {
    this.#interrupted ??= { type: 'interrupted', ...(message !== undefined && { message: userSaid(message) }) }
    const pending = this.#entries.filter(isPending)
    const mayGo = pending.filter((entry) => entry.interruptBehavior === 'cancel')
    this.#cancelAll(mayGo, this.#interrupted)
    return { mustWait: mayGo.length < pending.length }
  }

  /** All are told before the first is answered, or the end of one would start the next. */
  #cancelAll(entries: readonly CallEntry[], reason: CancelReason): void {
    for (const { control } of entries) control.cancel(reason)
    for (const entry of entries) if (!entry.hasBegun) this.#finish(entry, entry.unbegun(reason))
  }

  /** Finds out which tool is called and with what; waits only where a schema has to be loaded. */
  #prepare(entry: CallEntry): void {
    const { toolUse } = entry
    try {
      const parsed = prepareCall(
        { toolUse, parentMessage: this.#options.parentMessage ?? NO_MESSAGE },
        this.#host,
        entry.control,
      )
      if (parsed instanceof Promise) {
        parsed.then(
          (ready) => this.#onPrepared(entry, ready),
          (error) => this.#onUnprepared(entry, error),
        )
      } else this.#onPrepared(entry, parsed)
    } catch (error) {
      this.#onUnprepared(entry, error)
    }
  }

  #onPrepared(entry: CallEntry, parsed: ParsedCall): void {
    if (entry.outcome !== undefined) return
    entry.parsed = parsed
    entry.tool = parsed.tool
    if (parsed.repairs.length > 0) this.#events.repaired(entry.toolUse, parsed.repairs)
    entry.statement = statementOf(parsed, this.#options.rule)
    this.#placeNext()
  }

  /** Nothing of it will run, so that nobody needs to wait for its turn. */
  #onUnprepared(entry: CallEntry, error: unknown): void {
    entry.tool = this.#toolCalled(entry.toolUse)
    this.#finish(entry, failedOutcome(entry.toolUse.id, error))
  }

  #toolCalled({ name }: ToolUseBlock): Tool | undefined {
    try {
      return findToolByName(this.#host.directory().tools, name)
    } catch {
      // The call has failed already, for the same reason.
      return undefined
    }
  }

  /** Puts calls into the schedule, as far as it can be said what they will touch. A loop that is not entered twice: what it places may end at once. */
  #placeNext(): void {
    if (this.#isPlacing) return
    this.#isPlacing = true
    while (this.#placeOne());
    this.#isPlacing = false
    this.#schedule.pump()
  }

  #placeOne(): boolean {
    const entry = this.#entries[this.#nextToPlace]
    if (entry === undefined) return false
    const { outcome, statement } = entry
    if (outcome === undefined && (statement === undefined || this.#isTooEarly(statement))) return false
    this.#nextToPlace++
    if (outcome === undefined && statement !== undefined) this.#place(entry, statement)
    return true
  }

  #isTooEarly({ usesCwd }: Statement): boolean {
    return this.#barrier >= this.#passed || (usesCwd && this.#cwdMover >= this.#passed)
  }

  #place(entry: CallEntry, statement: Statement): void {
    const claims = this.#claimsOf(statement)
    const reason = this.#refusalOf(entry, claims)
    if (reason !== undefined) {
      this.#finish(entry, entry.unbegun(reason))
      return
    }
    if (claims === EXCLUSIVE) this.#barrier = entry.index
    if (statement.movesCwd) this.#cwdMover = entry.index
    entry.cwd = this.#context.current.cwd
    entry.scheduled = this.#schedule.add(entry.index, claims, entry)
  }

  /** Names may have come to mean more where another call came first, or moved the working folder without saying so before. */
  #isGrown({ statement, scheduled, cwd }: CallEntry, hadToWait: boolean): boolean {
    if (statement === undefined || scheduled === undefined) return false
    if (!hadToWait && cwd === this.#context.current.cwd) return false
    return areGrown(scheduled.claims, this.#claimsOf(statement))
  }

  /** Why a call that came after the fact is not to begin. */
  #refusalOf(entry: CallEntry, claims: Claims): CancelReason | undefined {
    const failed = this.#failedCommands.find((command) => countsOn(command, entry, claims))
    if (failed !== undefined) return afterFailure(failed)
    return entry.interruptBehavior === 'cancel' ? this.#interrupted : undefined
  }

  #claimsOf(statement: Statement): Claims {
    const { identify, hardLinkName } = this.#options
    return claimsOf(statement, { cwd: this.#context.current.cwd, identify, hardLinkName })
  }

  #begin(entry: CallEntry): void {
    const { reason } = entry.control
    if (reason !== undefined || entry.parsed === undefined) {
      this.#finish(entry, reason === undefined ? entry.lost() : entry.unbegun(reason))
      return
    }
    entry.hasBegun = true
    entry.host = this.#host
    entry.cwd = this.#context.current.cwd
    this.#events.started(entry.toolUse)
    performCall(entry.parsed, entry).then(
      (outcome) => this.#finish(entry, outcome),
      (error) => this.#finish(entry, failedOutcome(entry.toolUse.id, error)),
    )
  }

  #handlers(): EntryRun {
    return {
      host: this.#host,
      cwd: this.#options.cwd,
      messages: this.#options.messages ?? NO_MESSAGES,
      begin: (entry) => this.#begin(entry),
      isGrown: (entry, hadToWait) => this.#isGrown(entry, hadToWait),
      inTurn: (entry, ask) => this.#inTurn(entry, ask),
      onDecided: (entry) => this.#onDecided(entry),
      onInputChanged: (entry, call) => this.#onInputChanged(entry, call),
    }
  }

  /** A person's time counts against no limit, and an aborted call needs no answer. */
  async #inTurn<T>(entry: CallEntry, ask: () => Promise<T>): Promise<T> {
    const { index, control, scheduled } = entry
    // A tool that goes on after its answer has no call any more to ask about.
    if (entry.outcome !== undefined) control.cancel({ type: 'aborted', message: `${entry.name} has ended already.` })
    control.throwIfCancelled(entry.name)
    const { signal } = control.abortController
    const inOrder = () => this.#turns.ask(index, () => this.#questions.ask(ask, signal), signal)
    try {
      return await (scheduled === undefined ? inOrder() : this.#schedule.outside(scheduled, inOrder, signal))
    } catch (error) {
      control.throwIfCancelled(entry.name)
      throw error
    }
  }

  #onDecided({ index, scheduled, control }: CallEntry): Promise<void> | undefined {
    this.#turns.decided(index)
    return scheduled && this.#schedule.holdBack(scheduled, () => control.abortController.signal)
  }

  #onInputChanged({ scheduled, control }: CallEntry, call: AllowedCall): Promise<void> | undefined {
    if (scheduled === undefined) return undefined
    const claims = this.#claimsOf(statementOf(call, this.#options.rule))
    if (!areGrown(scheduled.claims, claims)) return undefined
    return this.#schedule.widen(scheduled, () => control.abortController.signal)
  }

  #finish(entry: CallEntry, outcome: CallOutcome): void {
    if (entry.outcome !== undefined) return
    entry.outcome = outcome
    const { stop } = outcome
    if (stop !== undefined) quietly(() => this.#options.onStop?.(stop))
    this.#events.ended(entry.toolUse, outcome)
    this.#turns.decided(entry.index)
    if (outcome.block.is_error && entry.isShellCommand) this.#onCommandFailed(entry)
    this.#ended.end(entry.index)
    this.#applyModifiers()
    if (entry.scheduled !== undefined) this.#schedule.end(entry.scheduled)
    this.#placeNext()
    this.#closeIfEnded()
  }

  /** A command that failed takes along those queued behind it that counted on its order, also those still to come. */
  #onCommandFailed(failed: CallEntry): void {
    // One that was itself cancelled for the failure of another says nothing new.
    if (!failed.hasBegun && this.#failedCommands.some(({ index }) => index < failed.index)) return
    this.#failedCommands.push(failed)
    const queued = this.#entries.slice(failed.index + 1).filter((entry) => isPending(entry) && !entry.hasBegun)
    this.#cancelAll(
      queued.filter((entry) => countsOn(failed, entry, entry.scheduled?.claims)),
      afterFailure(failed),
    )
  }

  /** In call order, and only once all earlier calls have ended: neighbours never see each other's. */
  #applyModifiers(): void {
    while (this.#passed < this.#ended.length) {
      const entry = this.#entries[this.#passed++]
      const modify = entry?.outcome?.contextModifier
      if (entry === undefined || modify === undefined) continue
      const { abortController } = entry.control
      const around = {
        ...{ toolUseId: entry.toolUse.id, abortController, signal: abortController.signal },
        messages: entry.messages,
        ...this.#host.contextOptions,
      }
      if (!this.#context.apply(modify, around)) continue
      const { current } = this.#context
      this.#host = { ...this.#host, contextOptions: { ...this.#host.contextOptions, options: current.options } }
      quietly(() => this.#options.onContext?.(current))
    }
  }

  #closeIfEnded(): void {
    if (!this.#isComplete || this.#hasClosed || this.#ended.length < this.#entries.length) return
    this.#hasClosed = true
    this.#events.close()
    this.#ended.close()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    quietly(() => this.#options.onEnd?.())
  }
}

/** A host that stumbles over news must not keep calls from their answers. */
function quietly(tell: () => void): void {
  try {
    tell()
  } catch {
    // See above.
  }
}

function isPending({ outcome }: CallEntry): boolean {
  return outcome === undefined
}

function outcomeOf(entry: CallEntry): CallOutcome {
  return entry.outcome ?? entry.lost()
}

/** Whether a call was made in the belief that a command before it would work: it runs alone, or touches the same things. */
function countsOn(command: CallEntry, entry: CallEntry, claims: Claims | undefined): boolean {
  if (command.index >= entry.index) return false
  if (entry.isExclusive) return true
  const failed = command.scheduled?.claims
  return failed !== undefined && claims !== undefined && areConflicting(failed, claims)
}

function afterFailure(failed: CallEntry): CancelReason {
  return { type: 'aborted', message: `Not run, because ${failed.name} before it in the same message failed.` }
}

function userSaid(message: string): string {
  return `The user cancelled this call and said: ${message}`
}

/** No limit but a number lets anything through; a number below one would let nothing. */
function limitOf(wanted = DEFAULT_MAX_CONCURRENCY): number {
  return Number.isNaN(wanted) ? DEFAULT_MAX_CONCURRENCY : Math.max(1, Math.floor(wanted))
}
