/** Lets calls put their questions one at a time and in call order; calls that need none go on meanwhile. */
export class QuestionTurns {
  /** Calls that are on their way to a decision and may still come to ask. */
  readonly #undecided = new Set<number>()
  readonly #waiting = new Map<number, () => void>()
  #isAsking = false

  start(index: number): void {
    this.#undecided.add(index)
  }

  /** The call will not ask any more. */
  decided(index: number): void {
    if (this.#undecided.delete(index)) this.#next()
  }

  async ask<T>(index: number, question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(index, signal)
    try {
      return await question()
    } finally {
      this.#isAsking = false
      this.#next()
    }
  }

  #turn(index: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(index)
        reject(signal.reason)
        this.#next()
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.set(index, () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      })
      this.#next()
    })
  }

  #next(): void {
    if (this.#isAsking || this.#waiting.size === 0) return
    const first = Math.min(...this.#waiting.keys())
    for (const index of this.#undecided) if (index < first) return
    const begin = this.#waiting.get(first)
    this.#waiting.delete(first)
    this.#isAsking = true
    begin?.()
  }
}
