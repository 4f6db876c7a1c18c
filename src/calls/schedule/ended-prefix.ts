/** Counts the calls that have ended without a gap, starting with the first, and resolves waiters at a given count. */
export class EndedPrefix {
  readonly #hasEnded: boolean[] = []
  #length = 0
  #isClosed = false
  readonly #waiters = new Map<number, (() => void)[]>()

  get length(): number {
    return this.#length
  }

  end(index: number): void {
    this.#hasEnded[index] = true
    while (this.#hasEnded[this.#length]) {
      this.#length++
      if (this.#waiters.size > 0) this.#wake(this.#length)
    }
  }

  /** Declares that no further call will end. */
  close(): void {
    this.#isClosed = true
    for (const count of [...this.#waiters.keys()]) this.#wake(count)
  }

  /** Resolves when the first `count` calls have ended, or on `close`. */
  reach(count: number): Promise<void> {
    if (this.#length >= count || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const otherWaiters = this.#waiters.get(count)
      if (otherWaiters === undefined) this.#waiters.set(count, [resolve])
      else otherWaiters.push(resolve)
    })
  }

  #wake(count: number): void {
    const waiters = this.#waiters.get(count)
    if (waiters === undefined) return
    this.#waiters.delete(count)
    for (const resolve of waiters) resolve()
  }
}
