/** Calls back when a request makes no progress in time. Paused while a person or a model answers the server. */
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

const MAX_BURST = 100
const REFILL_MS = 50

/** Token bucket for progress reports, so that a server that reports without end cannot fill the memory. */
export class ProgressLimiter {
  readonly #now: () => number
  #tokens = MAX_BURST
  #refilledAt: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Returns whether another report may be sent now. */
  take(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(MAX_BURST, this.#tokens + (now - this.#refilledAt) / REFILL_MS)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
