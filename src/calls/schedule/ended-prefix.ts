/** Counts the calls that have ended without a gap, starting with the first, and resolves waiters at a given count. */
export class EndedPrefix {
  readonly #ended: boolean[] = []
  #length = 0
  #isClosed = false
  readonly #waiting = new Map<number, (() => void)[]>()

  get length(): number {
    return this.#length
  }

  end(index: number): void {
    this.#ended[index] = true
    while (this.#ended[this.#length]) {
      this.#length++
      if (this.#waiting.size > 0) this.#wake(this.#length)
    }
  }

  /** Declares that no further call will end. */
  close(): void {
    this.#isClosed = true
    for (const count of [...this.#waiting.keys()]) this.#wake(count)
  }

  /** Resolves when that many calls have ended, or on `close`. */
  reach(count: number): Promise<void> {
    if (this.#length >= count || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const others = this.#waiting.get(count)
      if (others === undefined) this.#waiting.set(count, [resolve])
      else others.push(resolve)
    })
  }

  #wake(count: number): void {
    const waiting = this.#waiting.get(count)
    if (waiting === undefined) return
    this.#waiting.delete(count)
    for (const resolve of waiting) resolve()
  }
}
