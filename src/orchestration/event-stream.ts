/**
 * Events for whoever reads them. Those that come before the first reader are kept, so that none is missed;
 * of progress, which may be endless, only the latest.
 */
export class EventStream<T extends { readonly type: string }> implements AsyncIterable<T> {
  readonly #droppable: string
  #kept: T[] = []
  #wake: (() => void) | undefined
  #isClosed = false

  constructor(droppable: string) {
    this.#droppable = droppable
  }

  push(event: T): void {
    if (this.#isClosed) return
    if (event.type === this.#droppable && this.#kept.length >= MAX_KEPT) this.#dropOne()
    this.#kept.push(event)
    this.#wake?.()
  }

  close(): void {
    this.#isClosed = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      const events = this.#kept
      this.#kept = []
      yield* events
      if (this.#kept.length > 0) continue
      if (this.#isClosed) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
  }

  #dropOne(): void {
    const at = this.#kept.findIndex(({ type }) => type === this.#droppable)
    if (at !== -1) this.#kept.splice(at, 1)
  }
}

const MAX_KEPT = 1_000
