import { FixtureClock } from '../calls/fixture-clock.js'
import type { ToolEvent } from '../contract/events.js'

/** A fixture clock that knows which calls are under way. What they do on a real disk takes none of its time. */
export class CallClock extends FixtureClock {
  /** Each call that has ended, as often as it has, in that order. */
  readonly ended: string[] = []
  /** Each call that has begun. */
  readonly begun = new Set<string>()
  readonly #underWay = new Set<string>()

  /** To be told what happens to the calls. */
  readonly onEvent = (event: ToolEvent): void => {
    if (event.type === 'call-started') {
      this.begun.add(event.toolUseId)
      this.#underWay.add(event.toolUseId)
    }
    if (event.type === 'call-ended') {
      this.ended.push(event.toolUseId)
      this.#underWay.delete(event.toolUseId)
    }
  }

  /** Until every call that is under way sleeps. */
  async quiet(): Promise<void> {
    do await new Promise(setImmediate)
    while (this.sleeping < this.#underWay.size)
  }

  /** Goes on to when the next call wakes, and until all sleep again; false where none sleeps. */
  async step(): Promise<boolean> {
    if (this.sleeping === 0) return false
    this.advance()
    await this.quiet()
    return true
  }
}
