import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for something, but not for ever; whether it came. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const came = await Promise.race([work.then(() => true), late])
  timer.abort()
  return came
}
