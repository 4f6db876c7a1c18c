import { ToolCallError } from '../contract/errors.js'
import type { Message, ToolUseBlock } from '../contract/messages.js'
import { reachOf } from '../contract/tool/reach.js'
import type { Tool } from '../contract/tool/tool.js'
import { isCallConcurrencySafe } from '../contract/tool/traits.js'
import type { ExecutionHost } from './call-environment.js'
import type { AllowedCall, ParsedCall } from './call-states.js'
import { CallControl, type CancelReason } from './cancellation.js'
import { type CallOutcome, failedOutcome } from './perform-call.js'
import type { Scheduled, Startable } from './schedule/schedule.js'
import type { Statement } from './schedule/stated-resources.js'

/** What the run of a message does about each of its calls. */
export interface EntryRun {
  readonly host: ExecutionHost
  readonly cwd: string
  readonly messages: readonly Message[]
  begin(entry: CallEntry): void
  isGrown(entry: CallEntry, hadToWait: boolean): boolean
  inTurn<T>(entry: CallEntry, ask: () => Promise<T>): Promise<T>
  onDecided(entry: CallEntry): Promise<void> | undefined
  onInputChanged(entry: CallEntry, call: AllowedCall): Promise<void> | undefined
}

/**
 * One call of the message, from when it was added to when it has its outcome. It is also what the road of the call
 * sees of the run: an object more for each call would be felt.
 */
export class CallEntry implements Startable {
  readonly index: number
  readonly toolUse: ToolUseBlock
  readonly control: CallControl
  /** As they are when the call begins; until then, when its claims were made. */
  host: ExecutionHost
  cwd: string
  readonly messages: readonly Message[]
  tool: Tool | undefined
  /** There once the input is parsed. */
  parsed: ParsedCall | undefined
  /** What the call says about itself, asked once for the input it came with. */
  statement: Statement | undefined
  scheduled: Scheduled | undefined
  hasBegun = false
  outcome: CallOutcome | undefined
  readonly inTurn = <T>(ask: () => Promise<T>): Promise<T> => this.#run.inTurn(this, ask)
  readonly #run: EntryRun

  constructor(index: number, toolUse: ToolUseBlock, run: EntryRun) {
    this.index = index
    this.toolUse = toolUse
    this.control = new CallControl(run.host.graceMs)
    this.host = run.host
    this.cwd = run.cwd
    this.messages = run.messages
    this.#run = run
  }

  get name(): string {
    return this.tool?.name ?? String(this.toolUse.name)
  }

  /** Whether it was made to run alone, by its tool's own word: what it states of resources makes it no safer. */
  get isExclusive(): boolean {
    const { statement, parsed } = this
    if (statement === undefined || parsed === undefined) return false
    if (statement.kind === 'everything') return statement.isExclusive
    return !isCallConcurrencySafe(parsed.tool, parsed.input)
  }

  /** Tools that are given a shell run commands, whatever they are called. */
  get isShellCommand(): boolean {
    return this.tool !== undefined && reachOf(this.tool).runsCommandLines
  }

  get interruptBehavior(): 'cancel' | 'block' {
    try {
      return this.tool?.interruptBehavior?.() === 'cancel' ? 'cancel' : 'block'
    } catch {
      // A tool that cannot say is one that must not be broken off.
      return 'block'
    }
  }

  start(): void {
    this.#run.begin(this)
  }

  isGrown(hadToWait: boolean): boolean {
    return this.#run.isGrown(this, hadToWait)
  }

  onDecided(): Promise<void> | undefined {
    return this.#run.onDecided(this)
  }

  onInputChanged(call: AllowedCall): Promise<void> | undefined {
    return this.#run.onInputChanged(this, call)
  }

  /** The answer of a call that was told to end before it had begun. */
  unbegun(reason: CancelReason): CallOutcome {
    this.control.cancel(reason)
    try {
      this.control.throwIfCancelled(this.name)
    } catch (error) {
      return failedOutcome(this.toolUse.id, error)
    }
    return this.lost()
  }

  lost(): CallOutcome {
    return failedOutcome(this.toolUse.id, new ToolCallError('result_lost', `${this.name} ended without an answer.`))
  }
}
