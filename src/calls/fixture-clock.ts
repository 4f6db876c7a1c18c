/** A manual clock: time passes only when the test calls `advance`. */
export class FixtureClock {
  #now = 0
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = []

  get now(): number {
    return this.#now
  }

  get sleeperCount(): number {
    return this.#sleepers.length
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      const sleeper = { at: this.#now + ms, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
        wake()
      })
    })
  }

  /** Moves to the earliest wake-up time and wakes every sleeper that is due. */
  advance(): void {
    this.#now = Math.min(...this.#sleepers.map(({ at }) => at))
    for (const sleeper of this.#sleepers.filter(({ at }) => at <= this.#now)) {
      this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
      sleeper.wake()
    }
  }
}
