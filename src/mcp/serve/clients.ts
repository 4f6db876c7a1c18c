import { attributeToServer, type Exchange } from '../client/exchange.js'
import type { ForwardedRequest, ServerLogEntry, ServerRequests } from '../client/server-requests.js'
import { ClientCall, createDefaultAnswer } from './client-call.js'

/** Passes notifications on to one or more connected clients. */
export interface ClientListener {
  notifyListsChanged(): void
  notifyResourceUpdated(uri: string): void
  log(entry: ServerLogEntry): void
}

/**
 * The connected clients. Requests of upstream servers go to the client whose call caused them; other requests get a
 * default answer. Logs go to the client whose call caused them, or to all clients.
 */
export class Clients {
  readonly #listeners = new Set<ClientListener>()
  /** Roots for servers whose client provides none. */
  folders: readonly string[] = []

  readonly requests: ServerRequests = {
    forward: (request) => this.#forward(request),
    onLog: (entry, exchange) => this.#log(entry, exchange),
    onResourceUpdated: ({ uri }) => {
      for (const listener of this.#listeners) listener.notifyResourceUpdated(uri)
    },
  }

  /** Adds a listener and returns a function that removes it. */
  subscribe(listener: ClientListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Notifies all clients that the lists of tools, prompts and resources have changed. */
  notifyListsChanged(): void {
    for (const listener of this.#listeners) listener.notifyListsChanged()
  }

  async #forward({ serverName, method, params, exchange }: ForwardedRequest): Promise<Record<string, unknown>> {
    const request = { method, ...(params !== undefined && { params }) }
    if (exchange === undefined) return { ...createDefaultAnswer(request, this.folders) }
    const key = `${serverName}_${method.split('/')[0]}`
    const answers = await exchange.answer(attributeToServer(serverName, { [key]: request }))
    return { ...(answers[key] as Record<string, unknown>) }
  }

  #log(entry: ServerLogEntry, exchange: Exchange | undefined): void {
    const { serverName: _, ...params } = entry
    if (exchange instanceof ClientCall) exchange.notify({ method: 'notifications/message', params })
    else for (const listener of this.#listeners) listener.log(entry)
  }
}
