import { ToolCallError } from '../contract/errors.js'
import type { ToolUseBlock } from '../contract/messages.js'
import type { Tool } from '../contract/tool.js'
import { CallControl, type CancelReason } from '../execution/call-control.js'
import type { ParsedCall } from '../execution/call-states.js'
import { type CallOutcome, failedOutcome } from '../execution/execute-call.js'
import type { Scheduled, Startable } from './schedule.js'
import type { Statement } from './stated-resources.js'

/** What the run of a message does when the schedule comes to one of its calls. */
export interface EntryRun {
  readonly begin: (entry: CallEntry) => void
  readonly isGrown: (entry: CallEntry, hadToWait: boolean) => boolean
}

/** One call of the message, from when it was added to when it has its outcome. */
export class CallEntry implements Startable {
  readonly control: CallControl
  tool: Tool | undefined
  /** There once the input is parsed. */
  parsed: ParsedCall | undefined
  /** What the call says about itself, asked once for the input it came with. */
  statement: Statement | undefined
  /** The working folder by which its claims were made. */
  claimedIn: string | undefined
  scheduled: Scheduled | undefined
  hasBegun = false
  outcome: CallOutcome | undefined

  constructor(
    readonly index: number,
    readonly toolUse: ToolUseBlock,
    readonly run: EntryRun,
    graceMs?: number,
  ) {
    this.control = new CallControl(graceMs)
  }

  get name(): string {
    return this.tool?.name ?? String(this.toolUse.name)
  }

  get isExclusive(): boolean {
    return this.statement?.kind === 'everything' && this.statement.isExclusive
  }

  /** Tools that are given a shell run commands, whatever they are called. */
  get isShellCommand(): boolean {
    return this.tool?.needs?.includes('shell') ?? false
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
    this.run.begin(this)
  }

  isGrown(hadToWait: boolean): boolean {
    return this.run.isGrown(this, hadToWait)
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
