import { randomBytes } from 'node:crypto'
import type { FrontCall } from './front-call.js'

/** How long a client may take to come back with its answers. */
const PATIENCE_MS = 10 * 60 * 1000
const MOST_PARKED = 1_000

interface Parked {
  readonly call: FrontCall<unknown>
  readonly timer: NodeJS.Timeout
}

/** Calls whose client went away with questions, each by a word that only this client knows. */
export class ParkedCalls {
  readonly #parked = new Map<string, Parked>()

  /** Gives the word that the client has to come back with. */
  park(call: FrontCall<unknown>): string {
    const [oldest] = this.#parked.keys()
    if (oldest !== undefined && this.#parked.size >= MOST_PARKED) this.#giveUp(oldest)
    const state = randomBytes(24).toString('base64url')
    const timer = setTimeout(() => this.#giveUp(state), PATIENCE_MS).unref()
    this.#parked.set(state, { call, timer })
    return state
  }

  /** Each word is good for once. */
  take(state: string): FrontCall<unknown> {
    const parked = this.#parked.get(state)
    if (parked === undefined) throw new Error('no call waits for these answers')
    this.#parked.delete(state)
    clearTimeout(parked.timer)
    return parked.call
  }

  close(): void {
    for (const state of [...this.#parked.keys()]) this.#giveUp(state)
  }

  #giveUp(state: string): void {
    this.take(state).cancel('The client did not come back with its answers.')
  }
}
