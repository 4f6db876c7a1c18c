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
