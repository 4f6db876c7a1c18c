/** A clock that moves only when it is told to: whoever sleeps wakes when the time has come. */
export class FixtureClock {
  #now = 0
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = []

  get now(): number {
    return this.#now
  }

  get sleeping(): number {
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

  /** Goes on to the time at which the next wake, and wakes all whose time has come. */
  advance(): void {
    this.#now = Math.min(...this.#sleepers.map(({ at }) => at))
    for (const sleeper of this.#sleepers.filter(({ at }) => at <= this.#now)) {
      this.#sleepers.splice(this.#sleepers.indexOf(sleeper), 1)
      sleeper.wake()
    }
  }
}
