/** A queue between a producer and a consumer. The producer waits while the queue is full. */
export class BoundedQueue<T> implements AsyncIterable<T> {
  readonly #capacity: number
  readonly #items: { readonly item: T; readonly size: number }[] = []
  #size = 0
  #isClosed = false
  #wakeProducer: (() => void) | undefined
  #wakeConsumer: (() => void) | undefined

  /** `capacity` has the same unit as `size` of `push`. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Adds the item, even if it exceeds the capacity. Resolves when the queue is below its capacity. */
  async push(item: T, size = 1): Promise<void> {
    if (this.#isClosed) return
    this.#items.push({ item, size })
    this.#size += size
    this.#wakeConsumer?.()
    while (this.#size >= this.#capacity && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wakeProducer = resolve
      })
    }
  }

  /** Ends the queue. Remaining items can still be consumed. */
  close(): void {
    this.#isClosed = true
    this.#wakeConsumer?.()
    this.#wakeProducer?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const nextItem = this.#items.shift()
      if (nextItem !== undefined) {
        this.#size -= nextItem.size
        this.#wakeProducer?.()
        yield nextItem.item
      } else if (this.#isClosed) return
      else
        await new Promise<void>((resolve) => {
          this.#wakeConsumer = resolve
        })
    }
  }
}
