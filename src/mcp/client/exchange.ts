import { AsyncLocalStorage } from 'node:async_hooks'
import { isRecord } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'

/** Input that a server requests before or during a call. The server chooses the keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>

export interface InputRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A client request that a gateway passes on to servers. The client answers the input requests of these servers. */
export interface Exchange {
  /** Metadata about the client, sent to servers in addition to our own. */
  readonly meta: Readonly<Record<string, unknown>>
  answer(requests: InputRequests): Promise<Readonly<Record<string, unknown>>>
}

const exchangeStorage = new AsyncLocalStorage<Exchange | undefined>()

/** Returns the exchange that the current asynchronous context belongs to. */
export function getCurrentExchange(): Exchange | undefined {
  return exchangeStorage.getStore()
}

/**
 * Runs `work` as part of an exchange. Without an exchange, the work is detached from the current one, because it may end after
 * it.
 */
export function runInExchange<T>(exchange: Exchange | undefined, work: () => T): T {
  return exchangeStorage.run(exchange, work)
}

/** The exchanges that are waiting for one server. */
export class OpenExchanges {
  readonly #counts = new Map<Exchange, number>()

  async track<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
    this.#counts.set(exchange, (this.#counts.get(exchange) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const remainingCount = (this.#counts.get(exchange) ?? 1) - 1
      if (remainingCount === 0) this.#counts.delete(exchange)
      else this.#counts.set(exchange, remainingCount)
    }
  }

  /** Returns the exchange that a message of the server belongs to: the current one or, if there is none, the only open one. */
  get currentOrOnly(): Exchange | undefined {
    const [onlyExchange, secondExchange] = this.#counts.keys()
    return exchangeStorage.getStore() ?? (secondExchange === undefined ? onlyExchange : undefined)
  }
}

/** Whether the URL is http or https, so that opening it cannot open a file or start a program. */
export function isWebUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/**
 * Adds the name of the server to the questions that it sends to a client's user. Permission questions are asked the same way,
 * and a server must not be able to imitate them.
 */
export function attributeToServer(serverName: string, requests: InputRequests): InputRequests {
  return Object.fromEntries(
    Object.entries(requests).map(([key, request]) => [key, attributeRequest(serverName, request)]),
  )
}

function attributeRequest(serverName: string, request: InputRequest): InputRequest {
  const { method, params } = request
  if (method !== 'elicitation/create' || !isRecord(params)) return request
  if (params.mode === 'url' && !isWebUrl(params.url))
    throw new Error(`Only http and https URLs can be opened, not ${JSON.stringify(params.url)}.`)
  const message = `The MCP server ${serverName} asks: ${toPlainOutput(String(params.message ?? ''))}`
  return { method, params: { ...params, message } }
}
