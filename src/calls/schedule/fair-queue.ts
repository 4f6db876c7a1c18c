/** Serves the owners in turn, and each owner's own in the order they came. */
export class FairQueue {
  readonly #queues = new Map<string, OwnQueue>()

  /** Resolves when it is served. */
  wait(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(owner)
      if (queue === undefined) this.#queues.set(owner, { served: 0, waiting: [resolve] })
      else queue.waiting.push(resolve)
    })
  }

  /** False if nobody waits. */
  serveNext(): boolean {
    const [first] = this.#queues
    if (first === undefined) return false
    const [owner, queue] = first
    const serve = queue.waiting[queue.served++]
    // The owner stands last now.
    this.#queues.delete(owner)
    if (queue.served < queue.waiting.length) this.#queues.set(owner, queue)
    serve?.()
    return true
  }
}

interface OwnQueue {
  served: number
  readonly waiting: (() => void)[]
}
