/** Gives back the one with the lowest index first. */
export class IndexHeap<T extends { readonly index: number }> {
  readonly #items: T[] = []

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]
      if (above === undefined || above.index <= item.index) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const first = this.#items[0]
    const last = this.#items.pop()
    if (last !== undefined && last !== first) this.#sinkFromTop(last)
    return first
  }

  #sinkFromTop(item: T): void {
    const items = this.#items
    let at = 0
    for (;;) {
      const child = this.#lesserChild(at)
      const below = items[child]
      if (below === undefined || below.index >= item.index) break
      items[at] = below
      at = child
    }
    items[at] = item
  }

  #lesserChild(at: number): number {
    const left = 2 * at + 1
    const right = this.#items[left + 1]
    return right !== undefined && right.index < (this.#items[left]?.index ?? 0) ? left + 1 : left
  }
}
