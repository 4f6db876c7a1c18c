import { untilAborted } from '../../shared/waiting.js'

/** Lets one question at a time through to the person whom several agents share, in the order in which they come. */
export class QuestionLock {
  /** In the order of their coming; the first is let in next. */
  readonly #waiting = new Set<() => void>()
  #isAsking = false

  /** Rejects with the signal's reason once it is aborted, and lets the next in, whatever the question does then. */
  async ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isAsking) await this.#turn(signal)
    else signal.throwIfAborted()
    this.#isAsking = true
    try {
      return await untilAborted(question(), signal)
    } finally {
      this.#letIn()
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(begin)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(begin)
    })
  }

  /** The lock goes from hand to hand, so that no newcomer slips in between. */
  #letIn(): void {
    const [next] = this.#waiting
    this.#isAsking = next !== undefined
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}
