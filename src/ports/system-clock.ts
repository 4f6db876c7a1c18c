import type { ClockPort } from '../contract/ports/clock.js'
import { delay } from '../shared/waiting.js'

/** A timer of Node can wait no longer, and would fire at once instead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: ClockPort = {
  now: () => Date.now(),
  async sleep(ms, { signal }) {
    for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_TIMER_MS) {
      await delay(Math.min(left, LONGEST_TIMER_MS), signal)
    }
  },
}
