/** Items on their way from who makes them to who takes them; who makes too many waits. */
export class BoundedQueue<T> implements AsyncIterable<T> {
  readonly #capacity: number
  readonly #items: { readonly item: T; readonly size: number }[] = []
  #size = 0
  #isClosed = false
  #wakeMaker: (() => void) | undefined
  #wakeTaker: (() => void) | undefined

  /** `capacity` counts in whatever `size` of `push` counts in. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Resolves when there is room for more; an item larger than the capacity fits an empty queue. */
  async push(item: T, size = 1): Promise<void> {
    if (this.#isClosed) return
    this.#items.push({ item, size })
    this.#size += size
    this.#wakeTaker?.()
    while (this.#size >= this.#capacity && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wakeMaker = resolve
      })
    }
  }

  /** Nothing comes any more; what is there can still be taken. */
  close(): void {
    this.#isClosed = true
    this.#wakeTaker?.()
    this.#wakeMaker?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const next = this.#items.shift()
      if (next !== undefined) {
        this.#size -= next.size
        this.#wakeMaker?.()
        yield next.item
      } else if (this.#isClosed) return
      else
        await new Promise<void>((resolve) => {
          this.#wakeTaker = resolve
        })
    }
  }
}
