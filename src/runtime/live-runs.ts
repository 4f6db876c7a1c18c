import type { CancelReason } from '../execution/call-control.js'
import type { LiveRun } from './live-run.js'

/** What is under way in a runtime, so that it can be brought to an end. */
export class LiveRuns {
  /** Each with what has to settle before it counts as answered. */
  readonly #live = new Map<LiveRun, Promise<unknown> | undefined>()

  get size(): number {
    return this.#live.size
  }

  add(run: LiveRun): void {
    this.#live.set(run, undefined)
  }

  /** The calls have ended; the run stays until what is made of their results is done, too. */
  callsEnded(run: LiveRun): void {
    if (this.#live.get(run) === undefined) this.#live.delete(run)
  }

  answeredWith(run: LiveRun, answers: Promise<unknown>): void {
    this.#live.set(run, answers)
    const remove = () => this.#live.delete(run)
    answers.then(remove, remove)
  }

  /** Closes runs and waits for their answers, no longer than `waitMs`: a call that hangs must not hold up the end. */
  async close(isMeant: (run: LiveRun) => boolean, reason: CancelReason, waitMs: number): Promise<void> {
    const closing = [...this.#live].filter(([run]) => isMeant(run))
    for (const [run] of closing) run.close(reason)
    if (closing.length === 0) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs)
    })
    await Promise.race([Promise.allSettled(closing.map(([{ run }, answers]) => answers ?? run.outcomes())), patience])
    clearTimeout(timer)
  }
}
