/** Calls back when a request makes no progress in time. Paused while a person answers the server. */
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
  #left = MAX_BURST
  #at: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(MAX_BURST, this.#left + (now - this.#at) / REFILL_MS)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
