import { delay } from '../../shared/waiting.js'
import { findTooManyRequests } from './connection-failure.js'

/** Calls back if a request makes no progress for too long. It is paused while a person or a model answers the server. */
export class ActivityTimeout {
  readonly #limitMs: number
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isOver = false

  constructor(limitMs: number, onTimeout: () => void) {
    this.#limitMs = limitMs
    this.#onTimeout = onTimeout
    this.reset()
  }

  reset(): void {
    if (this.#isPaused || this.#isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onTimeout, this.#limitMs)
  }

  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
  }

  resume(): void {
    this.#isPaused = false
    this.reset()
  }

  dispose(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}

const MAX_REPETITIONS = 3
const DEFAULT_RETRY_AFTER_MS = 1_000
/** If the server asks to wait longer, the request fails with its answer. */
const MAX_RETRY_AFTER_MS = 30_000

/** Sends a request again after the time that the server asks to wait, if it rejected the request as one too many. */
export async function repeatIfTooMany<T>(
  send: () => Promise<T>,
  signal: AbortSignal,
  timeout?: ActivityTimeout,
): Promise<T> {
  for (let repetition = 0; ; repetition++) {
    try {
      return await send()
    } catch (error) {
      const rejection = findTooManyRequests(error)
      if (rejection === undefined) throw error
      const waitMs = rejection.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS
      if (repetition === MAX_REPETITIONS || waitMs > MAX_RETRY_AFTER_MS) throw rejection
      timeout?.pause()
      await delay(waitMs, signal)
      timeout?.resume()
      signal.throwIfAborted()
    }
  }
}
