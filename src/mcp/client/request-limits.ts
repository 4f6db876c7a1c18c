/** How long a request may go without a sign of life; what a person takes to answer the server does not count. */
export class SignOfLife {
  readonly #limitMs: number
  readonly #onSilence: () => void
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isOver = false

  constructor(limitMs: number, onSilence: () => void) {
    this.#limitMs = limitMs
    this.#onSilence = onSilence
    this.seen()
  }

  seen(): void {
    if (this.#isPaused || this.#isOver) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSilence, this.#limitMs)
  }

  pause(): void {
    this.#isPaused = true
    clearTimeout(this.#timer)
  }

  goOn(): void {
    this.#isPaused = false
    this.seen()
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }
}

const MOST_AT_ONCE = 100
const MS_EACH = 50

/** Lets a burst of reports through and then so many a second: a server that reports without end must not fill the memory. */
export class ReportBudget {
  readonly #now: () => number
  #left = MOST_AT_ONCE
  #at: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#at = now()
  }

  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(MOST_AT_ONCE, this.#left + (now - this.#at) / MS_EACH)
    this.#at = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
