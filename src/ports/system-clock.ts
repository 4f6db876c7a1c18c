import type { ClockPort } from '../contract/ports/clock.js'
import { delay, MAX_TIMER_MS } from '../shared/waiting.js'

export const systemClock: ClockPort = {
  now: () => Date.now(),
  async sleep(ms, { signal }) {
    for (let remainingMs = ms; remainingMs > 0 && !signal.aborted; remainingMs -= MAX_TIMER_MS) {
      await delay(Math.min(remainingMs, MAX_TIMER_MS), signal)
    }
  },
}
