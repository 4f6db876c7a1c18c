import { isDoneWithin } from '../shared/waiting.js'
import type { CallRun } from './call-run.js'
import type { CancelReason } from './cancellation.js'

/** The runs of a runtime that have not settled, so that they can be closed when it is disposed. */
export class OpenRuns {
  readonly #runs = new Set<CallRun>()

  get size(): number {
    return this.#runs.size
  }

  add(run: CallRun): void {
    this.#runs.add(run)
  }

  delete(run: CallRun): void {
    this.#runs.delete(run)
  }

  /** Closes the runs of an agent and its sub-agents, and waits at most `waitMs` for their results. */
  async close(agent: object, reason: CancelReason, waitMs: number): Promise<void> {
    const runsToClose = [...this.#runs].filter((run) => run.belongsTo(agent))
    for (const run of runsToClose) run.close(reason)
    if (runsToClose.length === 0) return
    await isDoneWithin(waitMs, Promise.allSettled(runsToClose.map((run) => run.waitUntilSettled())))
  }
}
