/** Counts the calls that have ended without a gap, starting with the first, and resolves each waiter at the count that it waits for. */
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
  waitForCount(count: number): Promise<void> {
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

/** A priority queue that returns the lowest index first. Items that arrive in order are appended without a search. */
export class IndexQueue<T extends { readonly index: number }> {
  #items: T[] = []
  #takenCount = 0

  peek(): T | undefined {
    return this.#items[this.#takenCount]
  }

  count(isCounted: (item: T) => boolean): number {
    return this.#items.slice(this.#takenCount).filter(isCounted).length
  }

  push(item: T): void {
    const lastItem = this.#items.at(-1)
    if (lastItem === undefined || lastItem.index <= item.index) this.#items.push(item)
    else this.#items.splice(this.#findInsertionIndex(item.index), 0, item)
  }

  pop(): T | undefined {
    const firstItem = this.#items[this.#takenCount]
    if (firstItem === undefined) return undefined
    if (++this.#takenCount === this.#items.length || this.#takenCount === TAKEN_BATCH_SIZE) {
      this.#items = this.#items.slice(this.#takenCount)
      this.#takenCount = 0
    }
    return firstItem
  }

  #findInsertionIndex(index: number): number {
    let from = this.#takenCount
    let to = this.#items.length
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.#items[middle]?.index ?? 0) <= index) from = middle + 1
      else to = middle
    }
    return from
  }
}

/** Taken items are removed from the array in batches of this size, because removing each one would move all others. */
const TAKEN_BATCH_SIZE = 256
