import type { ClockPort } from '../contract/ports/clock.js'

export const systemClock: ClockPort = {
  now: () => Date.now(),
  sleep(ms, { signal }) {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end, { once: true })
    })
  },
}
