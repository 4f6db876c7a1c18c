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

const MAX_BURST_REPORTS = 100
const REFILL_INTERVAL_MS = 50

/** A token bucket for progress reports, so that a server that sends endless reports cannot fill the memory. */
export class ProgressLimiter {
  readonly #now: () => number
  #tokens = MAX_BURST_REPORTS
  #refilledAt: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Whether another report may be sent now. If so, it is counted. */
  take(): boolean {
    const now = this.#now()
    this.#tokens = Math.min(MAX_BURST_REPORTS, this.#tokens + (now - this.#refilledAt) / REFILL_INTERVAL_MS)
    this.#refilledAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }
}
