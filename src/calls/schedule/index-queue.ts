/** A priority queue that returns the lowest index first. Items that arrive in order are appended without a search. */
export class IndexQueue<T extends { readonly index: number }> {
  #items: T[] = []
  #takenCount = 0

  peek(): T | undefined {
    return this.#items[this.#takenCount]
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
