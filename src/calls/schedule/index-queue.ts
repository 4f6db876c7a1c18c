/** A priority queue that returns the lowest index first. Items that arrive in order are appended without a search. */
export class IndexQueue<T extends { readonly index: number }> {
  #items: T[] = []
  #taken = 0

  peek(): T | undefined {
    return this.#items[this.#taken]
  }

  push(item: T): void {
    const last = this.#items.at(-1)
    if (last === undefined || last.index <= item.index) this.#items.push(item)
    else this.#items.splice(this.#placeFor(item.index), 0, item)
  }

  pop(): T | undefined {
    const first = this.#items[this.#taken]
    if (first === undefined) return undefined
    if (++this.#taken === this.#items.length || this.#taken === MAX_TAKEN) {
      this.#items = this.#items.slice(this.#taken)
      this.#taken = 0
    }
    return first
  }

  #placeFor(index: number): number {
    let from = this.#taken
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
const MAX_TAKEN = 256
