import { AsyncLocalStorage } from 'node:async_hooks'

/** What a server asks before it gives a result, or while it works on one, by keys of its choice. */
export type InputRequests = Readonly<Record<string, InputRequest>>

export interface InputRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Somebody else's request that is passed on: a gateway has the one who sent it answer what servers ask on the way. */
export interface Exchange {
  /** What servers are told of the one who asks, beside what they are told of us. */
  readonly meta: Readonly<Record<string, unknown>>
  answer(requests: InputRequests): Promise<Readonly<Record<string, unknown>>>
}

const current = new AsyncLocalStorage<Exchange | undefined>()

/** The exchange that the work in progress belongs to, whatever lies between. */
export function currentExchange(): Exchange | undefined {
  return current.getStore()
}

/** Does work as part of an exchange; of none where it outlives the exchange that happens to begin it. */
export function inExchange<T>(exchange: Exchange | undefined, work: () => T): T {
  return current.run(exchange, work)
}

/** The exchanges that wait for one server. */
export class OpenExchanges {
  readonly #open = new Map<Exchange, number>()

  async during<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
    this.#open.set(exchange, (this.#open.get(exchange) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (this.#open.get(exchange) ?? 1) - 1
      if (left === 0) this.#open.delete(exchange)
      else this.#open.set(exchange, left)
    }
  }

  /** Whose exchange a message of the server belongs to: the one it came with, else the only one there is. */
  get asking(): Exchange | undefined {
    const [only, another] = this.#open.keys()
    return current.getStore() ?? (another === undefined ? only : undefined)
  }
}
