import type { ClockPort } from '../contract/ports/clock.js'
import { delay } from '../shared/waiting.js'

/** The limit of timers in Node: longer ones fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

export const systemClock: ClockPort = {
  now: () => Date.now(),
  async sleep(ms, { signal }) {
    for (let remainingMs = ms; remainingMs > 0 && !signal.aborted; remainingMs -= MAX_TIMER_MS) {
      await delay(Math.min(remainingMs, MAX_TIMER_MS), signal)
    }
  },
}
