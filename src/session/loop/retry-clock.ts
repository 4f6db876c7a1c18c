import type { RetryClock } from './query-options.js'

/** The clock of this machine. */
export const systemRetryClock: RetryClock = {
  random: Math.random,
  delay: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve()
        return
      }
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end, { once: true })
    }),
}
