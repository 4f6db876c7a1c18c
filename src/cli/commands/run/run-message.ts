import { setImmediate } from 'node:timers/promises'
import type { CallOutcome } from '../../../calls/call.js'
import type { CallRun } from '../../../calls/call-run.js'
import type { ToolUseBlock } from '../../../contract/messages.js'
import type { HaftRuntime } from '../../../runtime/haft-runtime.js'
import { resultLine } from '../../io/result-text.js'

/** Calls of one message that may wait to be written before no more are taken. */
const MAX_UNWRITTEN = 1_000

/** A call, or a line that stands in the place of one. */
type Slot = 'call' | { readonly line: string }

/** The calls of one message, under way: each answer is written as soon as it and all before it are there. */
export class RunMessage {
  readonly #run: CallRun
  readonly #send: ReturnType<HaftRuntime['results']['openMessage']>
  readonly #write: (text: string) => Promise<void>
  readonly #slots: Slot[] = []
  readonly #ready: CallOutcome[] = []
  readonly #writing: Promise<void>
  #isEnded = false
  #wake: (() => void) | undefined
  #room: (() => void) | undefined

  constructor(
    runtime: HaftRuntime,
    { signal, write }: { signal: AbortSignal; write: (text: string) => Promise<void> },
  ) {
    this.#run = runtime.open({ signal })
    this.#send = runtime.results.openMessage()
    this.#write = write
    void this.#collect()
    void drain(this.#run)
    this.#writing = this.#writeAll()
    // Whoever ends the message hears of it; until then it must not count as unheard.
    this.#writing.catch(() => {})
  }

  /** Starts a call; resolves when another may be added. */
  async add(toolUse: ToolUseBlock): Promise<void> {
    this.#slots.push('call')
    this.#run.add(toolUse)
    await this.#untilRoom()
  }

  /** Puts a line where it stands among the answers. */
  async addLine(line: string): Promise<void> {
    this.#slots.push({ line })
    this.#wake?.()
    await this.#untilRoom()
  }

  /** No further call comes; resolves when every answer is written. */
  end(): Promise<void> {
    this.#isEnded = true
    this.#run.end()
    this.#wake?.()
    return this.#writing
  }

  async #untilRoom(): Promise<void> {
    if (this.#slots.length < MAX_UNWRITTEN) return
    const room = new Promise<void>((resolve) => {
      this.#room = resolve
    })
    // Where writing failed, room never comes.
    await Promise.race([room, this.#writing])
  }

  async #collect(): Promise<void> {
    for await (const outcome of this.#run.inOrder()) {
      this.#ready.push(outcome)
      this.#wake?.()
    }
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      const { outcomes, line } = this.#takeReady()
      if (outcomes.length > 0) for (const block of await this.#send(outcomes)) await this.#write(resultLine(block))
      if (line !== undefined) await this.#write(line)
      if (outcomes.length > 0 || line !== undefined) {
        this.#room?.()
        continue
      }
      if (this.#isEnded && this.#slots.length === 0) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      // Calls that end in the same moment share the budget of the message fairly.
      await setImmediate()
    }
  }

  /** Everything that can be written now, in order: some outcomes, and at most one line after them. */
  #takeReady(): { readonly outcomes: readonly CallOutcome[]; readonly line?: string } {
    const outcomes: CallOutcome[] = []
    for (let slot = this.#slots[0]; slot !== undefined; slot = this.#slots[0]) {
      const outcome = slot === 'call' ? this.#ready.shift() : undefined
      if (slot === 'call' && outcome === undefined) break
      this.#slots.shift()
      if (outcome !== undefined) outcomes.push(outcome)
      else if (slot !== 'call') return { outcomes, line: slot.line }
    }
    return { outcomes }
  }
}

/** Events that nobody takes would be kept as long as the message is open. */
async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
