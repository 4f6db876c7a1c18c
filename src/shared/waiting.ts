/** The longest delay of a timer in Node. A timer with a longer delay would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Returns the milliseconds of a clock that is never set back. Unlike `performance.now()`, it loads no module of Node, which would add a
 * millisecond to the first turn.
 */
export function readMonotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/** Waits for `ms` milliseconds, or until the signal is aborted, which is not an error. `ms` must not exceed `MAX_TIMER_MS`. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
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
  })
}

/** Waits without keeping the process alive. */
export function delayInBackground(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}

/**
 * Returns the result of the work, or undefined if the time limit passes or the signal is aborted first. Rejects if the work
 * does. The work itself is not stopped.
 */
export function waitAtMost<T>(
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<{ readonly value: T } | undefined> {
  return waitFor(work, signal, ms)
}

/** Whether the work was done before the time limit and before the signal was aborted. Otherwise like `waitAtMost`. */
export async function isDoneWithin(ms: number, work: Promise<unknown>, signal?: AbortSignal): Promise<boolean> {
  return (await waitFor(work, signal, ms)) !== undefined
}

/** Returns the result of the work, or undefined if the signal is aborted first. The work itself is not stopped. */
export function waitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: T } | undefined> {
  return waitFor(work, signal)
}

/** Settles like the work, or rejects with the abort reason as soon as the signal is aborted. The work is not stopped. */
export async function raceWithAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const result = await waitUnlessAborted(work, signal)
  if (result === undefined) throw signal.reason
  return result.value
}

/** Settles like the work, or resolves to undefined if the time limit passes or the signal is aborted first. */
function waitFor<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  ms?: number,
): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const cleanUp = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', giveUp)
    }
    const giveUp = () => {
      cleanUp()
      resolve(undefined)
    }
    // After the whole process was suspended, the timer fires before pending I/O. One more turn of the event loop delivers
    // the result of work that ended in time.
    if (ms !== undefined) timer = setTimeout(() => setImmediate(giveUp), ms)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
    // These handlers stay attached after giving up, so that a later failure is not an unhandled rejection.
    work.then(
      (value) => {
        cleanUp()
        resolve({ value })
      },
      (error) => {
        cleanUp()
        reject(error)
      },
    )
  })
}
