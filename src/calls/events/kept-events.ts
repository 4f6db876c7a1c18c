/** Of progress, which may be endless, so much is kept. */
const MAX_DROPPABLE = 1_000

/** Events that nobody has read yet, in order; of the droppable ones only the latest. */
export class KeptEvents<T extends { readonly type: string }> {
  readonly #droppable: string
  readonly #max: number
  #events: (T | undefined)[] = []
  /** Where the droppable ones stand, the oldest from `#oldest` on. */
  #droppableAt: number[] = []
  #oldest = 0

  constructor(droppable: string, max = MAX_DROPPABLE) {
    this.#droppable = droppable
    this.#max = max
  }

  get isEmpty(): boolean {
    return this.#events.length === 0
  }

  push(event: T): void {
    if (event.type === this.#droppable) {
      if (this.#droppableAt.length - this.#oldest >= this.#max) this.#dropOldest()
      this.#droppableAt.push(this.#events.length)
    }
    this.#events.push(event)
  }

  take(): readonly T[] {
    const kept = this.#events.filter((event) => event !== undefined)
    this.#clear([])
    return kept
  }

  /** Leaves a gap, and closes the gaps only when they are as many as are kept: each drop costs the same on average. */
  #dropOldest(): void {
    const at = this.#droppableAt[this.#oldest++]
    if (at !== undefined) this.#events[at] = undefined
    if (this.#oldest >= this.#max) this.#clear(this.take())
  }

  #clear(events: readonly T[]): void {
    this.#events = []
    this.#droppableAt = []
    this.#oldest = 0
    for (const event of events) {
      if (event.type === this.#droppable) this.#droppableAt.push(this.#events.length)
      this.#events.push(event)
    }
  }
}
