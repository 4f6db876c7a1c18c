import type { StepEnded, StepOutcome } from '../../contract/ports/workflows.js'

interface WaitingStep {
  readonly resolve: (outcome: StepOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Gives outcomes to the script in the order of the journal, one at a time. A script that gets the same outcomes in the same
 * order makes the same calls in the same order, however many of its branches run in parallel. So the number of a call
 * identifies a step. New outcomes follow after the recorded ones.
 */
export class OutcomeOrder {
  /** The recorded outcomes that the script has not got yet. */
  readonly #recorded: StepEnded[]
  /** The steps of recorded outcomes that the script waits for. */
  readonly #requested = new Map<number, WaitingStep>()
  readonly #ready: { readonly outcome: StepOutcome; readonly waiting: WaitingStep }[] = []
  #isDelivering = false
  #stopReason: { readonly error: unknown } | undefined

  constructor(recorded: readonly StepEnded[]) {
    this.#recorded = [...recorded]
  }

  /** Returns the recorded outcome of a step, if there is one. */
  find(step: number): StepEnded | undefined {
    return this.#recorded.find((record) => record.step === step)
  }

  /** Removes a recorded outcome, because the step runs again. */
  forget(step: number): void {
    const index = this.#recorded.findIndex((record) => record.step === step)
    if (index !== -1) this.#recorded.splice(index, 1)
    void this.#deliver()
  }

  /**
   * Returns the next recorded outcome if the script has not asked for it; undefined while another outcome is on its way to the
   * script.
   */
  findMissing(): StepEnded | undefined {
    const [next] = this.#recorded
    return this.#isDelivering || next === undefined || this.#requested.has(next.step) ? undefined : next
  }

  /** Waits for the turn of a recorded outcome. */
  replay(step: number): Promise<StepOutcome> {
    return new Promise((resolve, reject) => {
      this.#requested.set(step, { resolve, reject })
      this.#continue()
    })
  }

  /** Waits until a new outcome, which the journal has as its last record, can be given to the script. */
  add(outcome: StepOutcome): Promise<StepOutcome> {
    return new Promise((resolve, reject) => {
      this.#ready.push({ outcome, waiting: { resolve, reject } })
      this.#continue()
    })
  }

  /** Rejects everything that waits, and will wait, for its turn. */
  stop(error: unknown): void {
    this.#stopReason ??= { error }
    this.#continue()
  }

  #continue(): void {
    const { error } = this.#stopReason ?? {}
    if (this.#stopReason === undefined) {
      void this.#deliver()
      return
    }
    for (const { reject } of this.#requested.values()) reject(error)
    for (const { waiting } of this.#ready) waiting.reject(error)
    this.#requested.clear()
    this.#ready.length = 0
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return
    this.#isDelivering = true
    while (this.#deliverNext()) {
      // The answer has been sent to the interpreter before the next one is delivered.
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#isDelivering = false
  }

  #deliverNext(): boolean {
    const [next] = this.#recorded
    if (next === undefined) {
      const first = this.#ready.shift()
      first?.waiting.resolve(first.outcome)
      return first !== undefined
    }
    const waiting = this.#requested.get(next.step)
    if (waiting === undefined) return false
    this.#recorded.shift()
    this.#requested.delete(next.step)
    waiting.resolve(next.outcome)
    return true
  }
}
