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
  const limit = new Promise<boolean>((resolve) => {
    // If the whole process was suspended, the timer fires first: one more turn delivers what has happened meanwhile.
    timer = setTimeout(() => setImmediate(resolve, false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), limit])
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

/** Settles as the work does, or rejects with the reason of the signal as soon as it is aborted. The work is not stopped. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = await unlessAborted(work, signal)
  if (done === undefined) throw signal.reason
  return done.value
}
