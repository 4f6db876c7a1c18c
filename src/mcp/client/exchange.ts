import { AsyncLocalStorage } from 'node:async_hooks'
import { isRecord } from '../../shared/is-record.js'
import { toPlainOutput } from '../../shared/plain-output.js'

/** Input that a server requests before or during a call. The server chooses the keys. */
export type InputRequests = Readonly<Record<string, InputRequest>>

export interface InputRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** A client of a gateway, or a single request if the client has no session. */
export interface ExchangeClient {
  /** Whether the client has a session, so that its later requests have the same identity. */
  readonly hasSession: boolean
  /** Whether the session, or the request, has not ended yet. */
  readonly isConnected: boolean
}

/** A client request that a gateway passes on to servers. The client answers the input requests of these servers. */
export interface Exchange {
  readonly client: ExchangeClient
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

/** The exchanges that are waiting for one session with a server. */
export class OpenExchanges {
  readonly #counts = new Map<Exchange, number>()
  /** The client that the session is reserved for; undefined if any client may use it. */
  owner: ExchangeClient | undefined
  /** Whether the server sent a request while several clients were waiting, so that nobody could answer it. */
  wasAmbiguous = false

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

  /**
   * Returns the exchange that a message of the server belongs to: the current one or, if all open exchanges have the same
   * client, the latest of them.
   */
  get current(): Exchange | undefined {
    const currentExchange = exchangeStorage.getStore()
    if (currentExchange !== undefined) return currentExchange
    let latestExchange: Exchange | undefined
    for (const exchange of this.#counts.keys()) {
      if (latestExchange !== undefined && latestExchange.client !== exchange.client) return undefined
      latestExchange = exchange
    }
    return latestExchange
  }

  get hasSeveralClients(): boolean {
    return this.#counts.size > 1 && this.current === undefined
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

/** Metadata of the protocol describes its sender, so it must not be forwarded as ours. */
const RESERVED_PREFIX = 'io.modelcontextprotocol/'

/** Selects the metadata that may be forwarded: everything except metadata of the protocol. */
export function selectForwardedMeta(meta: unknown): { _meta?: Record<string, unknown> } {
  if (!isRecord(meta)) return {}
  const forwardedEntries = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED_PREFIX))
  return forwardedEntries.length === 0 ? {} : { _meta: Object.fromEntries(forwardedEntries) }
}
