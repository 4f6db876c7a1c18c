import { raceWithAbort } from '../shared/waiting.js'
import { IndexQueue } from './schedule/call-order.js'

interface Turn {
  readonly index: number
  readonly begin: () => void
  isAbandoned: boolean
}

/**
 * Lets calls ask the user one at a time and in call order. Calls without a question are not delayed.
 * A question waits until every earlier call is decided, including calls that have not started: they may still ask.
 */
export class QuestionOrder {
  readonly #isDecided: boolean[] = []
  #firstUndecided = 0
  readonly #waitingTurns = new IndexQueue<Turn>()
  #isAsking = false

  /** Declares that the call will not ask again, except for calls nested in it. */
  markDecided(index: number): void {
    if (this.#isDecided[index]) return
    this.#isDecided[index] = true
    while (this.#isDecided[this.#firstUndecided]) this.#firstUndecided++
    this.#startNext()
  }

  /** Asks when it is the turn of this call. Rejects with the signal's reason when the signal is aborted, even if the question never settles. */
  async ask<T>(index: number, question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#waitForTurn(index, signal)
    try {
      return await raceWithAbort(question(), signal)
    } finally {
      this.#isAsking = false
      this.#startNext()
    }
  }

  get waitingCount(): number {
    return this.#waitingTurns.count(({ isAbandoned }) => !isAbandoned)
  }

  #waitForTurn(index: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        turn.isAbandoned = true
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const turn: Turn = { index, begin, isAbandoned: false }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waitingTurns.push(turn)
      this.#startNext()
    })
  }

  #startNext(): void {
    while (this.#waitingTurns.peek()?.isAbandoned) this.#waitingTurns.pop()
    const firstTurn = this.#waitingTurns.peek()
    if (this.#isAsking || firstTurn === undefined || firstTurn.index > this.#firstUndecided) return
    this.#waitingTurns.pop()
    this.#isAsking = true
    firstTurn.begin()
  }
}

/** Lets several agents ask the same user: one question at a time, in order of arrival. */
export class QuestionLock {
  /** In order of arrival. */
  readonly #waiters = new Set<() => void>()
  #isAsking = false

  /** Rejects with the signal's reason when the signal is aborted. The lock is then released, even if the question never settles. */
  async ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isAsking) await this.#waitForTurn(signal)
    else signal.throwIfAborted()
    this.#isAsking = true
    try {
      return await raceWithAbort(question(), signal)
    } finally {
      this.#release()
    }
  }

  get waitingCount(): number {
    return this.#waiters.size
  }

  #waitForTurn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiters.delete(begin)
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiters.add(begin)
    })
  }

  /** Passes the lock directly to the next waiter, so that a new question cannot overtake it. */
  #release(): void {
    const [next] = this.#waiters
    this.#isAsking = next !== undefined
    if (next === undefined) return
    this.#waiters.delete(next)
    next()
  }
}
