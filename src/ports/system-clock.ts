import type { ClockPort } from '../contract/ports/clock.js'

/** A timer of Node can wait no longer, and would fire at once instead. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: ClockPort = {
  now: () => Date.now(),
  async sleep(ms, { signal }) {
    for (let left = ms; left > 0 && !signal.aborted; left -= LONGEST_TIMER_MS) {
      await sleepOnce(Math.min(left, LONGEST_TIMER_MS), signal)
    }
  },
}

function sleepOnce(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}
