import { KeptEvents } from './kept-events.js'

/**
 * Events for whoever reads them. Those that come before the first reader are kept for it, so that none is missed;
 * whoever comes later reads from then on. A reader that is slow loses old progress and nothing else.
 */
export class EventStream<T extends { readonly type: string }> implements AsyncIterable<T> {
  readonly #droppable: string
  #unread: KeptEvents<T> | undefined
  readonly #readers = new Set<Reader<T>>()
  #isClosed = false

  constructor(droppable: string) {
    this.#droppable = droppable
    this.#unread = new KeptEvents(droppable)
  }

  /** What comes after the end is lost. */
  push(event: T): void {
    if (this.#isClosed) return
    this.#unread?.push(event)
    if (this.#readers.size > 0) for (const reader of this.#readers) reader.push(event)
  }

  close(): void {
    this.#isClosed = true
    for (const reader of this.#readers) reader.wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    const reader = new Reader(this.#unread ?? new KeptEvents<T>(this.#droppable))
    this.#unread = undefined
    this.#readers.add(reader)
    try {
      for (;;) {
        yield* reader.take()
        if (reader.isBehind) continue
        if (this.#isClosed) return
        await reader.news()
      }
    } finally {
      this.#readers.delete(reader)
    }
  }
}

class Reader<T extends { readonly type: string }> {
  readonly #events: KeptEvents<T>
  #wake: (() => void) | undefined

  constructor(events: KeptEvents<T>) {
    this.#events = events
  }

  get isBehind(): boolean {
    return !this.#events.isEmpty
  }

  push(event: T): void {
    this.#events.push(event)
    this.wake()
  }

  take(): readonly T[] {
    return this.#events.take()
  }

  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
