import type { Message, ToolUseBlock } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission/context.js'
import type { WorkEnd } from '../contract/ports/tasks.js'
import type { Tool, ToolContext } from '../contract/tool/tool.js'
import type { HookOutcome } from '../hooks/merge-results.js'
import type { ShellAnalysis } from '../permissions/facts/shell-analysis.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { createCallContext } from './call-context.js'
import type { CallStanding, ExecutionHost, StepName, StepTimer } from './call-environment.js'
import type { AllowedCall, Input, RequestedCall } from './call-states.js'
import type { CallControl, Cancellable } from './cancellation.js'
import { freezePlain } from './copy-plain.js'
import { observableInput } from './steps/observable-input.js'
import type { TimeLimit } from './steps/time-limit.js'
import { type TimedCall, timed } from './timed.js'

/** What the conversation around a call lends it. */
export interface CallSurroundings {
  readonly host: ExecutionHost
  readonly control: CallControl
  readonly cwd: string
  readonly messages: readonly Message[]
  /** Waits until it is this call's turn to ask. */
  readonly inTurn: <T>(ask: () => Promise<T>) => Promise<T>
  /** Told when the call will not ask any more. */
  readonly onDecided?: () => MaybePromise<void>
  /** Told when an input was changed after the call was scheduled; resolves when it may go on. */
  readonly onInputChanged: (call: AllowedCall) => MaybePromise<void>
}

const NO_NOTES: readonly string[] = []

/** What the steps of one call share beside the call itself. */
export class CallScope implements TimedCall, Cancellable, CallStanding {
  readonly around: CallSurroundings
  readonly host: ExecutionHost
  readonly control: CallControl
  readonly tool: Tool
  readonly toolUse: ToolUseBlock
  readonly timer: StepTimer | undefined
  waitedMs = 0
  /** What hooks had to say to the model. */
  notes = NO_NOTES
  /** Why the conversation is to end. */
  stop: string | undefined
  /** The rules and mode by which the call was last judged. */
  judgedBy: ToolPermissionContext | undefined
  /** The analysis of the call's command, where it was begun before a decision needs it. */
  shell: ShellAnalysis | undefined
  /** The time limit that runs meanwhile: the tool's own, or for a call inside another that of the outer one. */
  timeLimit: TimeLimit | undefined
  /** The tool has answered, so that what still fails is no failure of its own. */
  hasReturned = false
  /** A person was asked about this call, by itself, and said yes; what a rule, a mode or a hook allows is none of that. */
  isApprovedByPerson = false
  /** What an allow rule covers, as the call now stands. */
  isAllowedByRule = false
  /** Something was kept for this call, or for one inside it, and is to be settled when it ends. */
  hasCheckpoint = false
  /** Set where the tool works on after the call has ended. */
  goesOn: Promise<WorkEnd> | undefined
  /** Whatever the tool still does, its call takes nothing from it any more. */
  isOver = false
  #context: ToolContext | undefined
  #observedOf: Input | undefined
  #observed: Input | undefined

  constructor({ tool, toolUse }: RequestedCall & { readonly tool: Tool }, around: CallSurroundings, isTimed = true) {
    this.around = around
    this.host = around.host
    this.control = around.control
    this.tool = tool
    this.toolUse = toolUse
    this.timer = isTimed ? around.host.timer : undefined
  }

  get toolUseId(): string {
    return this.toolUse.id
  }

  get toolName(): string {
    return this.tool.name
  }

  get context(): ToolContext {
    this.#context ??= createCallContext(this.tool, this.toolUse.id, this.around, this)
    return this.#context
  }

  /** What hooks, permission checks and persons see of an input. From then on neither can be changed: what is judged is what is used. */
  observe(input: Input): Input {
    if (this.#observedOf !== input || this.#observed === undefined) {
      this.#observedOf = freezePlain(input)
      const observed = observableInput(this.tool, input)
      this.#observed = observed === input ? input : freezePlain(observed)
    }
    return this.#observed
  }

  /** Throws where the call was cancelled before it began, and where the host lacks a port that the tool needs. */
  begin(): void {
    this.control.throwIfCancelled(this.tool.name)
    this.#context = createCallContext(this.tool, this.toolUse.id, this.around, this)
  }

  /** Takes a step that a cancelled call leaves at once. */
  take<A, Out>(name: StepName, step: (call: A, scope: CallScope) => MaybePromise<Out>, call: A): MaybePromise<Out> {
    if (this.timer === undefined) return this.untilCancelled(step(call, this))
    return timed(this, name, (given: A, scope: CallScope) => scope.untilCancelled(step(given, scope)), call, this)
  }

  untilCancelled<T>(work: MaybePromise<T>): MaybePromise<T> {
    return work instanceof Promise ? this.control.orCancelled(this, work) : work
  }

  /** Takes in what hooks said beside what they decided. */
  hear({ reports, additionalContext, stop }: HookOutcome): void {
    for (const report of reports)
      this.host.emit({ type: 'hook-reported', toolUseId: this.toolUse.id, at: Date.now(), ...report })
    if (additionalContext.length > 0) this.notes = [...this.notes, ...additionalContext]
    this.stop ??= stop
  }
}
