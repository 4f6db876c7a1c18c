import { AsyncLocalStorage } from 'node:async_hooks'
import { isRecord } from '../../shared/is-record.js'
import { plainOutput } from '../../shared/plain-output.js'

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

/** Whether a page of the web is meant, and no file or program. */
export function isWebPage(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/**
 * What a server asks, as it is put before somebody else's user: questions about permissions come the same way, and a
 * server must not pass for whoever asks those.
 */
export function saidBy(serverName: string, requests: InputRequests): InputRequests {
  return Object.fromEntries(Object.entries(requests).map(([key, request]) => [key, named(serverName, request)]))
}

function named(serverName: string, request: InputRequest): InputRequest {
  const { method, params } = request
  if (method !== 'elicitation/create' || !isRecord(params)) return request
  if (params.mode === 'url' && !isWebPage(params.url)) throw new Error('Only pages of the web can be opened.')
  const message = `The MCP server ${serverName} asks: ${plainOutput(String(params.message ?? ''))}`
  return { method, params: { ...params, message } }
}
