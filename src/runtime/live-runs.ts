import type { CancelReason } from '../calls/cancellation.js'

/** The calls of one message, as far as their end goes. */
export interface EndingRun {
  /** Whether it is of this agent or of one below it. */
  isOf(agent: object): boolean
  /** Cancels what has not ended, and takes no further calls. */
  close(reason: CancelReason): void
  /** Settles when every call has its answer. */
  outcomes(): Promise<unknown>
}

interface Live {
  readonly run: EndingRun
  /** What has to settle before the run counts as answered. */
  answers?: Promise<unknown>
}

/** What is under way in a runtime, so that it can be brought to an end. */
export class LiveRuns {
  readonly #live: Live[] = []

  get size(): number {
    return this.#live.length
  }

  add(run: EndingRun): void {
    this.#live.push({ run })
  }

  /** The calls have ended; the run stays until what is made of their results is done, too. */
  callsEnded(run: EndingRun): void {
    if (this.#find(run)?.answers === undefined) this.#remove(run)
  }

  answeredWith(run: EndingRun, answers: Promise<unknown>): void {
    const live = this.#find(run)
    if (live === undefined) this.#live.push({ run, answers })
    else live.answers = answers
    const remove = () => this.#remove(run)
    answers.then(remove, remove)
  }

  /** Closes the runs of an agent and waits for their answers, no longer than `waitMs`: a call that hangs must not hold up the end. */
  async close(agent: object, reason: CancelReason, waitMs: number): Promise<void> {
    const closing = this.#live.filter(({ run }) => run.isOf(agent))
    for (const { run } of closing) run.close(reason)
    if (closing.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
    })
    await Promise.race([Promise.allSettled(closing.map(({ run, answers }) => answers ?? run.outcomes())), patience])
    clearTimeout(timer)
  }

  #find(run: EndingRun): Live | undefined {
    return this.#live.find((live) => live.run === run)
  }

  #remove(run: EndingRun): void {
    const at = this.#live.findIndex((live) => live.run === run)
    if (at !== -1) this.#live.splice(at, 1)
  }
}
