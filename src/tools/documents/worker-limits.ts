/** How much time and memory a worker may use. */
export interface WorkerLimits {
  readonly ms: number
  readonly bytes: number
}

export type ExceededLimit = 'time' | 'memory'

/** Short, because a small document can unpack hundreds of megabytes in a second. */
const CHECK_INTERVAL_MS = 10

/** Watches the memory of the whole process, because the limits of a worker do not cover the buffers of unpacked streams. */
export function watchLimits({ ms, bytes }: WorkerLimits, createError: (limit: ExceededLimit) => Error) {
  const initialRss = process.memoryUsage.rss()
  const startTime = performance.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const limitExceeded = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if (performance.now() - startTime > ms) reject(createError('time'))
      else if (process.memoryUsage.rss() - initialRss > bytes) reject(createError('memory'))
    }, CHECK_INTERVAL_MS)
  })
  return { exceeded: limitExceeded, end: () => clearInterval(timer) }
}

/** Returns a promise that rejects when the signal is aborted. */
export function watchAbort(signal: AbortSignal) {
  let listener = () => {}
  const promise = new Promise<never>((_, reject) => {
    listener = () => reject(signal.reason)
    signal.addEventListener('abort', listener, { once: true })
  })
  return { promise, end: () => signal.removeEventListener('abort', listener) }
}
