import { MAX_TIMER_MS } from './cancellation.js'

/** The time limit of a tool. Waiting for the user does not count. */
export class TimeLimit {
  readonly #onExpired: () => void
  #remainingMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined
  #openQuestions = 0
  #hasEnded = false

  constructor(limitMs: number, onExpired: () => void) {
    this.#remainingMs = limitMs
    this.#onExpired = onExpired
    this.#start()
  }

  /** Pauses the limit until the work settles. */
  async pauseDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#openQuestions += 1
    if (this.#openQuestions === 1) this.#pause()
    try {
      return await work()
    } finally {
      this.#openQuestions -= 1
      if (this.#openQuestions === 0) this.#start()
    }
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #start(): void {
    if (this.#hasEnded) return
    this.#startedMs = performance.now()
    this.#timer = setTimeout(this.#onExpired, this.#remainingMs)
  }

  #pause(): void {
    clearTimeout(this.#timer)
    this.#remainingMs = Math.max(0, this.#remainingMs - (performance.now() - this.#startedMs))
  }
}

/** Values that no timer can represent count as no limit. */
export function isTimeLimit(limitMs: unknown): limitMs is number {
  return typeof limitMs === 'number' && limitMs >= 0 && limitMs <= MAX_TIMER_MS
}
