import { ToolCallError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { AssistantMessage, Message, ToolUseBlock } from '../contract/messages.js'
import type { NestedCallOptions } from '../contract/ports/calls.js'
import type { OpenRun, RunStop, StartedRun } from '../contract/runtime.js'
import { andThen, type MaybePromise } from '../shared/maybe-promise.js'
import { Call, type Input, type RunOfCall } from './call.js'
import type { CallEnvironment, CallingAgent, CallRunOptions } from './call-environment.js'
import { type CallOutcome, maskOutcome, withoutResult } from './call-outcome.js'
import type { CancelReason } from './cancellation.js'
import { FailedCalls } from './failed-calls.js'
import { type CallSource, feedCalls, findBlockProblem, toReadableBlock } from './feed-calls.js'
import { createNestedEnvironment, type NestedEffects, type NestedRun, OuterTurn } from './nested-calls.js'
import { performCall, prepareCall, toErrorOutcome } from './perform-call.js'
import { QuestionLock, QuestionOrder } from './questions.js'
import { RunContext } from './run-context.js'
import { RunEvents } from './run-events.js'
import { getOutcome, RunOutcomes, type ToResults } from './run-outcomes.js'
import {
  type Claims,
  type DeclaredResources,
  EXCLUSIVE_CLAIMS,
  getDeclaredResources,
  haveGrown,
  resolveClaims,
} from './schedule/claims.js'
import { Schedule } from './schedule/schedule.js'
import { analyseText } from './steps/analyse-command.js'
import type { ParsedCall } from './steps/parse-input.js'

const NO_MESSAGE: AssistantMessage = { type: 'assistant', content: [] }
const NO_MESSAGES: readonly Message[] = []

/**
 * The calls of one model message, or those that the tool of one call makes (its `parentCall`). Calls can be added at any
 * time; each has exactly one outcome, in call order.
 */
export class CallRun extends RunOutcomes implements StartedRun, OpenRun, RunOfCall, NestedRun {
  readonly #options: CallRunOptions
  readonly #environment: CallEnvironment
  readonly #agent: CallingAgent
  readonly #stopCountBefore: number
  readonly #events: RunEvents
  readonly #schedule: Schedule
  readonly #questionOrder = new QuestionOrder()
  readonly #questionLock: Pick<QuestionLock, 'ask' | 'waitingCount'>
  readonly #context: RunContext
  readonly #parentCall: Call | undefined
  /** By index of the call: its input as parsed, before hooks and the user could change it. */
  readonly #parsedCalls: (ParsedCall | undefined)[] = []
  /** The index of the first call that is not in the schedule yet. Calls enter it in call order, even if their inputs are parsed in another order. */
  #nextToSchedule = 0
  #isScheduling = false
  readonly #failedCalls = new FailedCalls()
  #cancelReason: CancelReason | undefined
  #interruptReason: CancelReason | undefined
  #stop: RunStop | undefined
  #isComplete = false
  #hasClosed = false
  #stopFeeding: (() => void) | undefined
  readonly #onAbort = () => {
    this.cancel({ type: 'aborted', message: 'The calls of this message were cancelled.' })
    this.#stopFeeding?.()
  }

  constructor(options: CallRunOptions, parentCall?: Call) {
    const { environment, agent, maxConcurrency, signal, onEvent, keepsEvents = true } = options
    super()
    options.openRuns?.add(this)
    this.#options = options
    this.#environment = environment
    this.#agent = agent
    this.#stopCountBefore = agent.stopCount
    this.#questionLock =
      parentCall === undefined ? (options.questionLock ?? new QuestionLock()) : new OuterTurn(parentCall)
    this.#events = new RunEvents(onEvent, keepsEvents)
    this.#schedule = new Schedule(maxConcurrency, this.endedPrefix)
    this.#parentCall = parentCall
    this.#context = new RunContext(parentCall?.location ?? agent, environment)
    if (signal?.aborted) this.#onAbort()
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Adds a call whose block is complete. It starts as soon as no earlier call delays it. */
  add(toolUse: ToolUseBlock): void {
    // The stream of a closed run may still deliver blocks.
    if (this.#isComplete && this.#cancelReason !== undefined) return
    const problem = findBlockProblem(toolUse)
    if (problem !== undefined) {
      this.#refuse(toolUse, problem)
      return
    }
    const call = this.#append(toolUse)
    if (this.#cancelReason !== undefined) this.#cancelQueued(call, this.#cancelReason)
    else this.#prepare(call)
  }

  perform(toolUse: ToolUseBlock, options?: NestedCallOptions): Promise<CallOutcome> {
    const index = this.calls.length
    this.add(toolUse)
    // In time: a call is prepared asynchronously before its tool runs.
    const call = this.calls[index]
    if (call !== undefined) call.onToolStart = options?.onToolStart
    return this.waitForOutcome(index)
  }

  /** Opens the run of the calls that the tool of a call makes. Its events get the id of that call. */
  openNested(outerCall: Call): CallRun {
    const { signal: _signal, messages: _messages, ...options } = this.#options
    const { messages, parentMessage, toolUse } = outerCall
    const environment = createNestedEnvironment(this.#environment)
    const onEvent = (event: ToolEvent) =>
      this.#events.emit(event.type === 'mode-entered' ? event : { parentToolUseId: toolUse.id, ...event })
    return new CallRun({ ...options, environment, messages, parentMessage, onEvent, keepsEvents: false }, outerCall)
  }

  get effects(): NestedEffects {
    return { newMessages: this.listNewMessages(), ...this.#context.effect }
  }

  /** Declares that no further call will be added. */
  end(): void {
    this.#isComplete = true
    this.#closeIfEnded()
  }

  /** Adds all calls of a message, ends the run, and turns the outcomes into results. */
  feed(calls: CallSource, toResults: ToResults): this {
    const stopPromise = new Promise<void>((resolve) => {
      this.#stopFeeding = resolve
    })
    if (this.#options.signal?.aborted) this.#stopFeeding?.()
    return this.settle(feedCalls(this, calls, stopPromise), toResults)
  }

  protected override onSettled(): void {
    this.#options.openRuns?.delete(this)
  }

  get stopped(): Promise<RunStop | undefined> {
    const getStop = () => this.#stop
    return this.allOutcomes().then(getStop, getStop)
  }

  [Symbol.asyncIterator](): AsyncIterator<ToolEvent> {
    return this.#events[Symbol.asyncIterator]()
  }

  belongsTo(agent: object): boolean {
    return this.#agent.isWithin(agent)
  }

  /** Ends every call that has not ended; each still gets its result. */
  cancel(reason: CancelReason): void {
    this.#cancelReason ??= reason
    const pendingCalls = this.calls.filter(({ isPending }) => isPending)
    this.#cancelAll(pendingCalls, reason)
  }

  /** Cancels the run and accepts no further calls. */
  close(reason: CancelReason): void {
    this.cancel(reason)
    if (this.#stopFeeding === undefined) this.end()
    else this.#stopFeeding()
  }

  /** Cancels the calls of a message that broke off, and resolves with the outcomes of those that had started. */
  async discard(message: string): Promise<readonly CallOutcome[]> {
    this.cancel({ type: 'aborted', message })
    this.end()
    await this.outcomes()
    return this.calls.filter(({ hasStarted }) => hasStarted).map(getOutcome)
  }

  /** Handles an interrupt by the user: calls that allow it are cancelled, and the others finish. */
  interrupt(message?: string): { readonly mustWait: boolean } {
    this.#interruptReason ??= {
      type: 'interrupted',
      ...(message !== undefined && { message: `The user cancelled this call and said: ${message}` }),
    }
    const pendingCalls = this.calls.filter(({ isPending }) => isPending)
    const cancellableCalls = pendingCalls.filter((call) => call.interruptBehavior === 'cancel')
    this.#cancelAll(cancellableCalls, this.#interruptReason)
    for (const { nestedCalls } of pendingCalls) nestedCalls?.interrupt(message)
    return { mustWait: cancellableCalls.length < pendingCalls.length }
  }

  emit(event: ToolEvent): void {
    const { secrets } = this.#environment
    // Other events contain what the model or the user wrote, not what a tool or hook printed.
    const isOutput =
      event.type === 'call-progressed' || event.type === 'hook-reported' || event.type === 'user-messaged'
    this.#events.emit(isOutput && secrets !== undefined ? secrets.maskData(event) : event)
  }

  start(call: Call): void {
    const { reason } = call.cancellation
    const parsedCall = this.#parsedCalls[call.index]
    if (reason !== undefined || parsedCall === undefined) {
      this.#finish(
        call,
        toErrorOutcome(call, reason === undefined ? call.createNoOutcomeError() : call.cancelBeforeStart(reason)),
      )
      return
    }
    call.location = this.#context.current
    this.#events.emitStarted(call.toolUse)
    performCall(parsedCall).then((outcome) => this.#finish(call, outcome))
  }

  /**
   * Whether a call uses more than it claimed. A path can refer to another file after an earlier call has run, or has changed
   * the working directory without declaring it.
   */
  haveClaimsGrown(call: Call): boolean {
    const { declared, claims, cwd, hadToWait } = call
    if (declared === undefined || claims === undefined) return false
    if (!hadToWait && cwd === this.#context.current.cwd) return false
    return this.#isAnalysisOutdated(call) || haveGrown(claims, this.#resolveClaims(declared))
  }

  /**
   * Asks a question when it is the turn of the call. Questions are asked one at a time, in call order. A call that waits for an
   * answer does not count as running.
   */
  async askInTurn<T>(call: Call, ask: () => Promise<T>): Promise<T> {
    const { outermost } = call
    const { cancellation, index } = outermost
    // A tool that continues after its call has ended must not ask further questions.
    if (outermost.outcome !== undefined)
      cancellation.cancel({ type: 'aborted', message: `${call.toolName} has ended and can ask no further questions.` })
    call.throwIfCancelled()
    const { signal } = cancellation
    const askInOrder = () => this.#questionOrder.ask(index, () => this.#questionLock.ask(ask, signal), signal)
    try {
      return await this.#schedule.runOutside(outermost, askInOrder, signal)
    } catch (error) {
      call.throwIfCancelled()
      throw error
    }
  }

  /** Later messages start with what the calls of this one changed. A nested run passes its changes on with its outcome. */
  #keepChanges(): void {
    this.#agent.cwd = this.#context.current.cwd
    if (this.#parentCall === undefined) this.#agent.changedOptions = this.#context.changedOptions
  }

  countWaitingQuestions(): number {
    return this.#questionOrder.waitingCount + this.#questionLock.waitingCount
  }

  admit(call: Call, input: Input): MaybePromise<void> {
    this.#questionOrder.markDecided(call.index)
    const holdEnd = this.#schedule.holdBack(call, () => call.cancellation.signal)
    return andThen(holdEnd, () => this.#widenIfGrown(call, input))
  }

  #widenIfGrown(call: Call, input: Input): MaybePromise<void> {
    if (input === this.#parsedCalls[call.index]?.input || call.tool === undefined || call.claims === undefined) return
    const { tool, command } = call
    const claims = this.#resolveClaims(getDeclaredResources({ tool, input, command }, this.#options.scheduling))
    if (haveGrown(call.claims, claims)) return this.#schedule.widenCall(call, () => call.cancellation.signal)
  }

  /** Ends the conversation after this run: the other calls are cancelled once the call that caused the stop has its result. */
  stop(stop: RunStop): void {
    if (this.#stop !== undefined) return
    this.#stop = stop
    if (this.#parentCall === undefined) this.#agent.stop(stop.reason)
    else this.#parentCall.run.stop(stop)
  }

  #append(toolUse: ToolUseBlock): Call {
    if (this.#isComplete) throw new Error('No call can be added to a message that has ended.')
    const { messages = NO_MESSAGES, parentMessage = NO_MESSAGE, environment } = this.#options
    const index = this.calls.length
    const location = this.#context.current
    const parentToolUseId = this.#parentCall?.toolUse.id
    const call = new Call(this, { index, toolUse, parentMessage, messages, environment, location, parentToolUseId })
    this.calls.push(call)
    this.#events.emitQueued(toolUse)
    return call
  }

  /** Gives an invalid block an error result at its position. The other calls are not affected. */
  #refuse(block: ToolUseBlock, problem: string): void {
    const call = this.#append(toReadableBlock(block))
    this.#finish(call, toErrorOutcome(call, new ToolCallError('input_invalid', `Invalid tool_use block: ${problem}.`)))
  }

  #prepare(call: Call): void {
    prepareCall(call).then(
      (parsedCall) => this.#onPrepared(call, parsedCall),
      (error) => this.#finish(call, toErrorOutcome(call, error)),
    )
  }

  #onPrepared(call: Call, parsedCall: ParsedCall): void {
    if (call.outcome !== undefined) return
    this.#parsedCalls[call.index] = parsedCall
    if (parsedCall.repairs.length > 0) this.#events.emitRepaired(call.toolUse, parsedCall.repairs)
    this.#declare(parsedCall)
  }

  #declare({ call, tool, input }: ParsedCall): void {
    if (call.outcome !== undefined) return
    call.declared = getDeclaredResources({ tool, input, command: call.command }, this.#options.scheduling)
    this.#scheduleNext()
  }

  /**
   * Analyses the command of a call again. An earlier call has changed the working directory, so the command may do something
   * else there.
   */
  async #analyseAgain(call: Call): Promise<void> {
    const parsedCall = this.#parsedCalls[call.index]
    if (parsedCall === undefined) return
    call.declared = undefined
    call.location = this.#context.current
    await analyseText(parsedCall)
    this.#declare(parsedCall)
  }

  /** Schedules the next calls, up to the first whose resources are unknown. A reentrant invocation returns at once: a scheduled call may end immediately, which calls this method again. */
  #scheduleNext(): void {
    if (this.#isScheduling) return
    this.#isScheduling = true
    while (this.#scheduleOne());
    this.#isScheduling = false
    this.#schedule.fillSlots()
  }

  #scheduleOne(): boolean {
    const call = this.calls[this.#nextToSchedule]
    if (call === undefined) return false
    const { outcome, declared } = call
    if (outcome === undefined && (declared === undefined || this.#context.isTooEarlyFor(declared))) return false
    if (outcome === undefined && this.#isAnalysisOutdated(call)) {
      this.#analyseAgain(call).catch((error) => this.#finish(call, toErrorOutcome(call, error)))
      return false
    }
    this.#nextToSchedule++
    if (outcome === undefined && declared !== undefined) this.#scheduleCall(call, declared)
    return true
  }

  #isAnalysisOutdated({ command }: Call): boolean {
    return command !== undefined && command.cwd !== this.#context.current.cwd
  }

  #scheduleCall(call: Call, declaredResources: DeclaredResources): void {
    const claims = this.#resolveClaims(declaredResources)
    const interruptReason = call.interruptBehavior === 'cancel' ? this.#interruptReason : undefined
    const reason = this.#failedCalls.findReasonToSkip(call, claims) ?? interruptReason
    if (reason !== undefined) {
      this.#cancelQueued(call, reason)
      return
    }
    this.#context.expectChange(call.index, declaredResources, claims === EXCLUSIVE_CLAIMS)
    call.location = this.#context.current
    this.#schedule.add(call, claims)
  }

  #resolveClaims(declaredResources: DeclaredResources): Claims {
    const { identifyPath, hardLinkName } = this.#options
    return resolveClaims(declaredResources, { cwd: this.#context.current.cwd, identify: identifyPath, hardLinkName })
  }

  #cancelAll(calls: readonly Call[], reason: CancelReason): void {
    for (const { cancellation } of calls) cancellation.cancel(reason)
    this.#finishCancelled()
  }

  /** Ends the cancelled calls that have not started. Called only after all of them are cancelled, because the end of one could start the next. */
  #finishCancelled(): void {
    for (const call of this.calls.filter(({ isQueued }) => isQueued)) {
      const { reason } = call.cancellation
      if (reason !== undefined) this.#cancelQueued(call, reason)
    }
  }

  #cancelQueued(call: Call, reason: CancelReason): void {
    this.#finish(call, toErrorOutcome(call, call.cancelBeforeStart(reason)))
  }

  #finish(call: Call, unmaskedOutcome: CallOutcome): void {
    if (call.outcome !== undefined) return
    const outcome = maskOutcome(unmaskedOutcome, this.#environment.secrets)
    // The results of nested calls go to the tool that made them, and are not kept.
    call.outcome = this.#parentCall === undefined ? outcome : withoutResult(outcome)
    if (call.stopReason !== undefined) this.stop({ by: 'hook', reason: call.stopReason })
    this.#events.emitEnded(call.toolUse, outcome)
    const { stopCount, stopReason } = this.#agent
    if (stopCount > this.#stopCountBefore)
      this.cancel({ type: 'aborted', message: `The run was stopped. ${stopReason}` })
    this.#questionOrder.markDecided(call.index)
    // The tool that makes nested calls decides itself what a failure means for the next ones.
    if (outcome.block.is_error && call.runsShellCommand && this.#parentCall === undefined) this.#onCommandFailed(call)
    this.endedPrefix.end(call.index)
    if (this.#context.applyModifiers(this.calls, this.endedPrefix.length)) this.#keepChanges()
    this.#schedule.end(call)
    this.#scheduleNext()
    this.#closeIfEnded()
    call.onOutcome?.(outcome)
  }

  #onCommandFailed(command: Call): void {
    this.#failedCalls.addCommand(command, this.calls.slice(command.index + 1))
    this.#finishCancelled()
  }

  #closeIfEnded(): void {
    if (!this.#isComplete || this.#hasClosed || this.endedPrefix.length < this.calls.length) return
    this.#hasClosed = true
    this.#events.close()
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
    this.closeOutcomes()
  }
}
