/** Waits; ends early, without an error, when the signal is aborted. At most 2^31 - 1 ms, the limit of timers in Node. */
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

/** Whether the work was done within a time limit. Rejects if the work does. The work itself is not stopped at the limit. */
export async function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    // After the whole process was suspended, the timer fires before pending I/O. One more turn of the event loop delivers
    // the result of work that ended in time.
    timer = setTimeout(() => setImmediate(resolve, false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** The result of the work, or undefined if the signal is aborted first. The work itself is not stopped. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    work.then((value) => resolve({ value }), reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

/** Settles like the work, or rejects with the abort reason as soon as the signal is aborted. The work is not stopped. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const result = await unlessAborted(work, signal)
  if (result === undefined) throw signal.reason
  return result.value
}
