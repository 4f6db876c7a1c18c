import { FixtureClock } from '../calls/fixture-clock.js'
import type { ToolEvent } from '../contract/events.js'

/** A fixture clock that tracks which calls are running. Real disk operations take no time on this clock. */
export class CallClock extends FixtureClock {
  /** The ids of calls that have ended, in order, one entry per end event. */
  readonly endedIds: string[] = []
  readonly startedIds = new Set<string>()
  readonly #running = new Set<string>()

  /** Pass this as the event listener of the run. */
  readonly onEvent = (event: ToolEvent): void => {
    if (event.type === 'call-started') {
      this.startedIds.add(event.toolUseId)
      this.#running.add(event.toolUseId)
    }
    if (event.type === 'call-ended') {
      this.endedIds.push(event.toolUseId)
      this.#running.delete(event.toolUseId)
    }
  }

  /** Waits until every running call is sleeping. */
  async waitUntilAllSleep(): Promise<void> {
    do await new Promise(setImmediate)
    while (this.sleeperCount < this.#running.size)
  }

  /** Advances to the next wake-up and waits until all calls sleep again. Returns false if none was sleeping. */
  async step(): Promise<boolean> {
    if (this.sleeperCount === 0) return false
    this.advance()
    await this.waitUntilAllSleep()
    return true
  }
}
