import type { CommandAnalysis, CommandLine } from '../contract/command.js'
import { ToolCallError } from '../contract/errors.js'
import type { ToolEvent } from '../contract/events.js'
import type { JudgedPaths } from '../contract/judged-paths.js'
import type { AssistantMessage, Message, ToolUseBlock } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { NestedCallOptions } from '../contract/ports/calls.js'
import type { WorkEnd } from '../contract/ports/tasks.js'
import type { RunStop } from '../contract/runtime.js'
import { getCapabilities } from '../contract/tool/capabilities.js'
import type { Tool, ToolContext } from '../contract/tool/tool.js'
import { isInterruptible } from '../contract/tool/traits.js'
import type { HookOutcome } from '../hooks/answer/merge-results.js'
import { Classification } from '../permissions/auto-mode/classification.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { type ChangeableContext, createCallContext } from './call-context.js'
import type { CallApproval, CallEnvironment, StepName, StepTimer } from './call-environment.js'
import type { CallOutcome } from './call-outcome.js'
import { type Cancellable, Cancellation, type CancelReason, type TimeLimit } from './cancellation.js'
import { copyPlain, freezePlain } from './copy-plain.js'
import { NestedCalls, type NestedRun } from './nested-calls.js'
import type { DeclaredResources } from './schedule/claims.js'
import { ScheduledCall } from './schedule/schedule.js'

export type Input = Record<string, unknown>

/** A call whose tool and parsed input are known. The steps from `parseInput` to `runPostHooks` return subtypes of it. */
export interface KnownCall {
  readonly call: Call
  readonly tool: Tool
  readonly input: Input
}

/** The analysis of a command, with the inputs that it is valid for. */
interface StartedAnalysis {
  readonly line: CommandLine
  readonly cwd: string
  readonly result: Promise<CommandAnalysis>
}

/** The members of a run that its calls and their steps use. */
export interface RunOfCall {
  emit(event: ToolEvent): void
  /** Starts a call that the schedule has released. */
  start(call: Call): void
  /** Whether the call's resources include more than when it was scheduled. */
  haveClaimsGrown(call: Call): boolean
  /** Asks the user a question after every earlier call has been decided. */
  askInTurn<T>(call: Call, ask: () => Promise<T>): Promise<T>
  /** Returns the number of questions that wait for their turn. */
  countWaitingQuestions(): number
  /** Called once a call needs no further decision. Resolves when it may execute with this input. */
  admit(call: Call, input: Input): MaybePromise<void>
  /** Ends the conversation after this run. */
  stop(stop: RunStop): void
  /** Opens a run for the calls that the tool of this call makes. */
  openNested(call: Call): NestedRun
}

export interface CallInit {
  readonly index: number
  readonly toolUse: ToolUseBlock
  readonly parentMessage: AssistantMessage
  readonly messages: readonly Message[]
  readonly environment: CallEnvironment
  readonly location: ChangeableContext
  readonly parentToolUseId?: string | undefined
}

/** One tool call, from the block that the model sent to its outcome. */
export class Call extends ScheduledCall implements Cancellable, CallApproval {
  readonly toolUse: ToolUseBlock
  readonly parentMessage: AssistantMessage
  readonly messages: readonly Message[]
  readonly run: RunOfCall
  readonly cancellation: Cancellation
  /** The call whose tool made this call through the `calls` port; undefined for a call that the model made. */
  readonly parentToolUseId: string | undefined
  /** The call whose tool asks for permission to do this through `canUseTool`. This call then takes only the first steps. */
  readonly outerCall: Call | undefined
  readonly environment: CallEnvironment
  /** The working directory and options of the call. Earlier calls of the message can change them until this call starts. */
  location: ChangeableContext
  tool: Tool | undefined
  /** The resources that the tool declares for the parsed input. */
  declared: DeclaredResources | undefined
  /** The call with the allowed input; undefined until it is allowed. */
  allowedCall: KnownCall | undefined
  outcome: CallOutcome | undefined
  /** Called once, when the call has its outcome. */
  onOutcome: ((outcome: CallOutcome) => void) | undefined
  /** Waited for before the tool of a nested call runs. */
  onToolStart: NestedCallOptions['onToolStart']
  /** The calls that the tool of this call makes. Created when the tool gets its `calls` port. */
  nestedCalls: NestedCalls | undefined

  /** Feedback from hooks for the model. */
  notes: readonly string[] = NO_NOTES
  /** What a hook or the user changed in the input, for the model. */
  inputChanges: readonly string[] = NO_NOTES
  /** Set if a hook ends the conversation. */
  stopReason: string | undefined
  /** The permission context of the last decision. */
  decidedPermissions: ToolPermissionContext | undefined
  /**
   * The analysis of the call's command: of its text alone until the decision, then the one that the decision used. Undefined if
   * the call runs no command.
   */
  command: CommandAnalysis | undefined
  /** The analysis for the decision, started in parallel with the hooks. */
  analysis: StartedAnalysis | undefined
  /** The classifier's work on this call in auto mode. */
  readonly classification = new Classification()
  /** The time limit of the call. A nested call shares that of the outer call. */
  timeLimit: TimeLimit | undefined
  /** Milliseconds that the call has waited for the user. */
  waitedMs = 0
  /** Where the paths of the call led when the last decision was made. The tool's ports use exactly these. */
  judgedPaths: JudgedPaths | undefined
  /** The page that the last decision was about, if the tool states one. */
  judgedUrl: string | undefined
  isApprovedByUser = false
  isAllowedByRule = false
  /** Whether a checkpoint was saved for this call or a nested one. It must be settled when the call ends. */
  hasCheckpoint = false
  /** Whether the tool has returned. A later failure is not the tool's. */
  hasReturned = false
  /** Set if the tool's work continues after the call has ended. */
  backgroundWork: Promise<WorkEnd> | undefined
  isOver = false
  readonly #timer: StepTimer | undefined
  #context: ToolContext | undefined
  #observedInput: { readonly original: Input; readonly observed: Input } | undefined

  constructor(run: RunOfCall, init: CallInit, outerCall?: Call) {
    super(init.index)
    this.toolUse = init.toolUse
    this.parentMessage = init.parentMessage
    this.messages = init.messages
    this.environment = init.environment
    this.location = init.location
    this.run = run
    this.parentToolUseId = init.parentToolUseId
    this.outerCall = outerCall
    this.cancellation = outerCall?.cancellation ?? new Cancellation(init.environment.graceMs)
    this.timeLimit = outerCall?.timeLimit
    this.#timer = outerCall === undefined ? init.environment.timer : undefined
  }

  /** Creates a call that this call's tool makes through `canUseTool`. */
  createNested(tool: Tool, input: unknown): Call {
    const { index, parentMessage, messages, environment, location, run } = this
    const toolUse = { type: 'tool_use', id: this.toolUse.id, name: tool.name, input } as const
    return new Call(run, { index, toolUse, parentMessage, messages, environment, location }, this)
  }

  get cwd(): string {
    return this.location.cwd
  }

  /** The call that the model made: this one, or the one whose tool made it. */
  get outermost(): Call {
    return this.outerCall?.outermost ?? this
  }

  get toolName(): string {
    return this.tool?.name ?? String(this.toolUse.name)
  }

  get isPending(): boolean {
    return this.outcome === undefined
  }

  /** Whether the call has neither started nor ended. */
  get isQueued(): boolean {
    return this.isPending && !this.hasStarted
  }

  get runsShellCommand(): boolean {
    return this.tool !== undefined && getCapabilities(this.tool).runsCommandLines
  }

  get interruptBehavior(): 'cancel' | 'block' {
    return this.tool !== undefined && isInterruptible(this.tool) ? 'cancel' : 'block'
  }

  get context(): ToolContext {
    if (this.tool === undefined) throw new Error('A call has no context before its tool is found.')
    this.#context ??= createCallContext(this.tool, this)
    return this.#context
  }

  override start(): void {
    this.run.start(this)
  }

  override haveClaimsGrown(): boolean {
    return this.run.haveClaimsGrown(this)
  }

  /** Returns the `calls` port of this call; undefined if the host has no tools for nested calls. */
  openCallsPort(): NestedCalls | undefined {
    const { nestedTools } = this.environment
    if (nestedTools === undefined) return undefined
    this.nestedCalls ??= new NestedCalls(this, nestedTools, () => this.run.openNested(this))
    return this.nestedCalls
  }

  /** Returns the fields that identify the call for hooks. */
  hookFields(toolName: string, observedInput: Input) {
    const { toolUse, parentToolUseId } = this
    const fields = { tool_name: toolName, tool_input: observedInput, tool_use_id: toolUse.id }
    return parentToolUseId === undefined ? fields : { ...fields, parent_tool_use_id: parentToolUseId }
  }

  /** Creates the context. Throws if the call is cancelled, or the host lacks a port that the tool needs. */
  begin(): void {
    this.throwIfCancelled()
    void this.context
  }

  throwIfCancelled(): void {
    this.cancellation.throwIfCancelled(this.toolName)
  }

  emit(event: ToolEvent): void {
    this.run.emit(event)
  }

  /**
   * Returns the input as hooks, permission checks and the user see it. Frozen, so that the input that is judged is the one that
   * is used.
   */
  observe(input: Input): Input {
    if (this.#observedInput?.original !== input) {
      const frozenInput = freezePlain(input)
      const observedInput = this.tool === undefined ? frozenInput : toObservableInput(this.tool, frozenInput)
      this.#observedInput = {
        original: input,
        observed: observedInput === frozenInput ? frozenInput : freezePlain(observedInput),
      }
    }
    return this.#observedInput.observed
  }

  /** Waits until the schedule lets the allowed call execute with this input. A nested call runs within the outer one. */
  admit(input: Input): MaybePromise<void> {
    return this.outerCall === undefined ? this.run.admit(this, input) : undefined
  }

  /**
   * Runs one step with the result of the previous one, unless the call is cancelled, and reports its duration. Rejects as
   * soon as the call is cancelled. Most steps of most calls are synchronous: waiting for each took a third of the time of
   * a call.
   */
  runStep<A, R>(name: StepName, step: (argument: A) => MaybePromise<R>, previous: MaybePromise<A>): MaybePromise<R> {
    if (previous instanceof Promise) return previous.then((argument) => this.runStep(name, step, argument))
    this.throwIfCancelled()
    return this.raceWithCancellation(this.measureStep(name, step, previous))
  }

  /** Rejects as soon as the call is cancelled. The work itself is not stopped. */
  raceWithCancellation<T>(work: MaybePromise<T>): MaybePromise<T> {
    return work instanceof Promise ? this.cancellation.raceWithCancellation(work, this) : work
  }

  /** Runs a step and reports its duration to the timer, if there is one. */
  measureStep<A extends readonly unknown[], R>(name: StepName, step: (...args: A) => R, ...args: A): R {
    const timer = this.#timer
    if (timer === undefined) return step(...args)
    const startMs = performance.now()
    const waitedMsBefore = this.waitedMs
    const report = () => {
      const waitedMs = this.waitedMs - waitedMsBefore
      try {
        timer.step(this.toolUse.id, name, startMs, performance.now(), ...(waitedMs > 0 ? [waitedMs] : []))
      } catch {
        // A failing timer must not fail the call.
      }
    }
    let isPending = false
    try {
      const result = step(...args)
      isPending = result instanceof Promise
      return result instanceof Promise ? (result.finally(report) as R) : result
    } finally {
      if (!isPending) report()
    }
  }

  /** Records what hooks reported in addition to their decision. */
  receiveHookOutcome({ reports, additionalContext, stop }: HookOutcome): void {
    for (const report of reports)
      this.emit({ type: 'hook-reported', toolUseId: this.toolUse.id, at: Date.now(), ...report })
    this.addNotes(additionalContext)
    this.stopReason ??= stop
  }

  addNotes(notes: readonly string[]): void {
    if (notes.length > 0) this.notes = [...this.notes, ...notes]
  }

  /** Adopts the paths and the page that a nested call may use, because its tool runs with the ports of this call. */
  adoptJudgedPaths({ judgedPaths, judgedUrl }: Call): void {
    if (judgedUrl !== undefined) this.judgedUrl = judgedUrl
    if (judgedPaths !== undefined) this.judgedPaths = new Map([...(this.judgedPaths ?? []), ...judgedPaths])
  }

  /** Adopts the waiting time, checkpoint and stop reason of a nested call. */
  absorb(nestedCall: Call): void {
    this.waitedMs += nestedCall.waitedMs
    this.hasCheckpoint ||= nestedCall.hasCheckpoint
    this.stopReason ??= nestedCall.stopReason
  }

  /** Cancels a call that has not started, and returns the error for its outcome. */
  cancelBeforeStart(reason: CancelReason): unknown {
    this.cancellation.cancel(reason)
    try {
      this.throwIfCancelled()
    } catch (error) {
      return error
    }
    return this.createNoOutcomeError()
  }

  createNoOutcomeError(): ToolCallError {
    return new ToolCallError('result_lost', `${this.toolName} ended without a result.`)
  }
}

const NO_NOTES: readonly string[] = []

/**
 * Returns the input that hooks and permission checks see: a copy with derived fields if the tool adds some, otherwise the input
 * itself.
 */
export function toObservableInput(tool: Tool, input: Input): Input {
  if (tool.backfillObservableInput === undefined) return input
  try {
    const inputCopy = copyPlain(input)
    tool.backfillObservableInput(inputCopy)
    return inputCopy
  } catch {
    // Without the derived fields, the input is still judged as the model sent it.
    return input
  }
}
