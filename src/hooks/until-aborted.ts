/** Waits for work no longer than the signal allows, even if the work never ends; undefined if it was not done in time. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<{ readonly value: T } | undefined> {
  return new Promise((resolve, reject) => {
    const give = () => resolve(undefined)
    if (signal.aborted) give()
    else signal.addEventListener('abort', give, { once: true })
    work.then((value) => resolve({ value }), reject).finally(() => signal.removeEventListener('abort', give))
  })
}
