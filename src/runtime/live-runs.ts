import type { CancelReason } from '../execution/call-control.js'

/** The calls of one message, as far as their end goes. */
export interface EndingRun {
  /** Whether it is of this agent or of one below it. */
  isOf(agent: object): boolean
  /** Cancels what has not ended, and takes no further calls. */
  close(reason: CancelReason): void
  /** Settles when every call has its answer. */
  outcomes(): Promise<unknown>
}

/** What is under way in a runtime, so that it can be brought to an end. */
export class LiveRuns {
  /** Each with what has to settle before it counts as answered. */
  readonly #live = new Map<EndingRun, Promise<unknown> | undefined>()

  get size(): number {
    return this.#live.size
  }

  add(run: EndingRun): void {
    this.#live.set(run, undefined)
  }

  /** The calls have ended; the run stays until what is made of their results is done, too. */
  callsEnded(run: EndingRun): void {
    if (this.#live.get(run) === undefined) this.#live.delete(run)
  }

  answeredWith(run: EndingRun, answers: Promise<unknown>): void {
    this.#live.set(run, answers)
    const remove = () => this.#live.delete(run)
    answers.then(remove, remove)
  }

  /** Closes the runs of an agent and waits for their answers, no longer than `waitMs`: a call that hangs must not hold up the end. */
  async close(agent: object, reason: CancelReason, waitMs: number): Promise<void> {
    const closing = [...this.#live].filter(([run]) => run.isOf(agent))
    for (const [run] of closing) run.close(reason)
    if (closing.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
    })
    await Promise.race([Promise.allSettled(closing.map(([run, answers]) => answers ?? run.outcomes())), patience])
    clearTimeout(timer)
  }
}
