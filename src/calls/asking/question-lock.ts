import { untilAborted } from '../../shared/waiting.js'

/** Lets several agents ask the same user: one question at a time, in order of arrival. */
export class QuestionLock {
  /** In order of arrival. */
  readonly #waiting = new Set<() => void>()
  #isAsking = false

  /** Rejects with the reason of the signal when it is aborted. The lock is then released, even if the question never settles. */
  async ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isAsking) await this.#waitForTurn(signal)
    else signal.throwIfAborted()
    this.#isAsking = true
    try {
      return await untilAborted(question(), signal)
    } finally {
      this.#release()
    }
  }

  #waitForTurn(signal: AbortSignal): Promise<void> {
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

  /** Passes the lock directly to the next waiter, so that a new question cannot overtake it. */
  #release(): void {
    const [next] = this.#waiting
    this.#isAsking = next !== undefined
    if (next === undefined) return
    this.#waiting.delete(next)
    next()
  }
}
