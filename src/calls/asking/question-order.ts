import { untilAborted } from '../../shared/waiting.js'
import { IndexQueue } from '../schedule/index-queue.js'

interface Turn {
  readonly index: number
  readonly begin: () => void
  isGone: boolean
}

/**
 * Lets calls put their questions one at a time and in call order; calls that need none go on meanwhile.
 * A question waits until every earlier call is decided, also those that have not begun: they may come to ask.
 */
export class QuestionOrder {
  readonly #decided: boolean[] = []
  #firstUndecided = 0
  readonly #waiting = new IndexQueue<Turn>()
  #isAsking = false

  /** The call will not ask any more, or only for calls that it makes itself. */
  decided(index: number): void {
    if (this.#decided[index]) return
    this.#decided[index] = true
    while (this.#decided[this.#firstUndecided]) this.#firstUndecided++
    this.#next()
  }

  /** Asks when it is this call's turn. Rejects with the signal's reason once it is aborted, whatever the question does then. */
  async ask<T>(index: number, question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(index, signal)
    try {
      return await untilAborted(question(), signal)
    } finally {
      this.#isAsking = false
      this.#next()
    }
  }

  #turn(index: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        turn.isGone = true
        reject(signal.reason)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const turn: Turn = { index, begin, isGone: false }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(turn)
      this.#next()
    })
  }

  #next(): void {
    while (this.#waiting.peek()?.isGone) this.#waiting.pop()
    const first = this.#waiting.peek()
    if (this.#isAsking || first === undefined || first.index > this.#firstUndecided) return
    this.#waiting.pop()
    this.#isAsking = true
    first.begin()
  }
}
