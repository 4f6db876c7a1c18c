import { MAX_TIMER_MS } from '../cancellation.js'

/** The time that a tool has for itself: what a person takes to answer it is not its own. */
export class TimeLimit {
  readonly #onPassed: () => void
  #leftMs: number
  #startedMs = 0
  #timer: NodeJS.Timeout | undefined
  /** How many questions are open. */
  #pauses = 0
  #hasEnded = false

  constructor(limitMs: number, onPassed: () => void) {
    this.#leftMs = limitMs
    this.#onPassed = onPassed
    this.#start()
  }

  /** Lets no time pass until the work has ended. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1
    if (this.#pauses === 1) this.#stop()
    try {
      return await work()
    } finally {
      this.#pauses -= 1
      if (this.#pauses === 0) this.#start()
    }
  }

  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #start(): void {
    if (this.#hasEnded) return
    this.#startedMs = performance.now()
    this.#timer = setTimeout(this.#onPassed, this.#leftMs)
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#startedMs))
  }
}

/** A limit that is no number of milliseconds, or more than a timer can wait, is none. */
export function isTimeLimit(limitMs: unknown): limitMs is number {
  return typeof limitMs === 'number' && limitMs >= 0 && limitMs <= MAX_TIMER_MS
}
