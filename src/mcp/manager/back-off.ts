const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000
/** After so many failures in a row nothing is tried any more unless somebody asks for it. */
const MOST_FAILURES = 8

/** When a server that failed may be tried again: at once the first time, then ever later, in the end not at all. */
export class BackOff {
  readonly #now: () => number
  #failures = 0
  #retryAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get hasGivenUp(): boolean {
    return this.#failures >= MOST_FAILURES
  }

  /** Milliseconds until the next try is due. */
  get waitMs(): number {
    return Math.max(0, this.#retryAt - this.#now())
  }

  get mayTry(): boolean {
    return !this.hasGivenUp && this.waitMs === 0
  }

  failed(): void {
    this.#failures++
    const delay = this.#failures === 1 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 2), MAX_DELAY_MS)
    this.#retryAt = this.#now() + delay
  }

  /** It did what it is for: only that counts as being well again, or one that dies in every call would be started for ever. */
  succeeded(): void {
    this.#failures = 0
    this.#retryAt = 0
  }
}
