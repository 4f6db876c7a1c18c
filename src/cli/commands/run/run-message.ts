import { setImmediate } from 'node:timers/promises'
import type { CallOutcome } from '../../../calls/call-outcome.js'
import type { CallRun } from '../../../calls/call-run.js'
import type { ToolUseBlock } from '../../../contract/messages.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { formatResultLine } from '../../io/format-result.js'

/** Maximum number of calls and error lines of a message that are not written yet. */
const MAX_UNWRITTEN_SLOTS = 1_000

/** A position in the output: a call, or an error line. */
type Slot = 'call' | { readonly line: string }

/** Runs the calls of one message and writes the results in order, each as soon as possible. */
export class RunMessage {
  readonly #run: CallRun
  readonly #settle: ReturnType<HaftRuntime['results']['openMessage']>
  readonly #write: (text: string) => Promise<void>
  readonly #slots: Slot[] = []
  readonly #endedCalls: CallOutcome[] = []
  readonly #writing: Promise<void>
  #isEnded = false
  #wakeWriter: (() => void) | undefined
  #signalSpace: (() => void) | undefined

  constructor(
    runtime: HaftRuntime,
    { signal, write }: { signal: AbortSignal; write: (text: string) => Promise<void> },
  ) {
    this.#run = runtime.open({ signal })
    this.#settle = runtime.results.openMessage()
    this.#write = write
    void this.#collect()
    void drainEvents(this.#run)
    this.#writing = this.#writeAll()
    // A failure is reported when `end` returns this promise; until then it must not be an unhandled rejection.
    this.#writing.catch(() => {})
  }

  /** Starts a call; resolves when another may be added. */
  async add(toolUse: ToolUseBlock): Promise<void> {
    this.#slots.push('call')
    this.#run.add(toolUse)
    await this.#waitForSpace()
  }

  /** Adds an error line at its position among the results. */
  async addLine(line: string): Promise<void> {
    this.#slots.push({ line })
    this.#wakeWriter?.()
    await this.#waitForSpace()
  }

  /** Ends the message; resolves when all results are written. */
  end(): Promise<void> {
    this.#isEnded = true
    this.#run.end()
    this.#wakeWriter?.()
    return this.#writing
  }

  async #waitForSpace(): Promise<void> {
    if (this.#slots.length < MAX_UNWRITTEN_SLOTS) return
    const spacePromise = new Promise<void>((resolve) => {
      this.#signalSpace = resolve
    })
    // If writing fails, slots are never freed.
    await Promise.race([spacePromise, this.#writing])
  }

  async #collect(): Promise<void> {
    for await (const outcome of this.#run.streamOutcomesInOrder()) {
      this.#endedCalls.push(outcome)
      this.#wakeWriter?.()
    }
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      const { outcomes, line } = this.#takeWritable()
      if (outcomes.length > 0)
        for (const block of await this.#settle(outcomes)) await this.#write(formatResultLine(block))
      if (line !== undefined) await this.#write(line)
      if (outcomes.length > 0 || line !== undefined) {
        this.#signalSpace?.()
        continue
      }
      if (this.#isEnded && this.#slots.length === 0) return
      await new Promise<void>((resolve) => {
        this.#wakeWriter = resolve
      })
      // Calls that end at the same time share the result budget of the message.
      await setImmediate()
    }
  }

  /** Takes everything that can be written now, in order: outcomes, then at most one error line. */
  #takeWritable(): { readonly outcomes: readonly CallOutcome[]; readonly line?: string } {
    const outcomes: CallOutcome[] = []
    for (let slot = this.#slots[0]; slot !== undefined; slot = this.#slots[0]) {
      const outcome = slot === 'call' ? this.#endedCalls.shift() : undefined
      if (slot === 'call' && outcome === undefined) break
      this.#slots.shift()
      if (outcome !== undefined) outcomes.push(outcome)
      else if (slot !== 'call') return { outcomes, line: slot.line }
    }
    return { outcomes }
  }
}

/** Consumes the events, which would otherwise be kept in memory. */
async function drainEvents(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
