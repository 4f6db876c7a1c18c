import { attributeToServer, type Exchange, type ExchangeClient } from '../client/exchange.js'
import type { ListKind } from '../client/open-connection.js'
import type { ForwardedRequest, ServerLogEntry, ServerRequests } from '../client/server-requests.js'
import { ClientCall, createDefaultAnswer } from './client-call.js'
import { toLogNotification } from './client-notification.js'
import { ClientSession } from './client-session.js'

/** Receives notifications for one or more connected clients. */
export interface ClientListener {
  /** Undefined if the clients have no sessions. */
  readonly session?: ClientSession
  notifyListChanged(kind: ListKind): void
  notifyResourceUpdated(uri: string): void
  log(entry: ServerLogEntry): void
}

/** How long changes of lists are gathered, because servers that start announce many of them. */
const LIST_CHANGE_DELAY_MS = 50

/**
 * The connected clients. Requests of upstream servers go to the client whose call caused them; other requests get a
 * default answer. Logs go to the client whose call caused them, or to all clients.
 */
export class Clients {
  readonly #listeners = new Set<ClientListener>()
  readonly #changedLists = new Set<ListKind>()
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

  /** Notifies all clients that lists have changed, at most once in `LIST_CHANGE_DELAY_MS`. */
  notifyListsChanged(kinds: readonly ListKind[]): void {
    if (kinds.length === 0) return
    if (this.#changedLists.size === 0) setTimeout(() => this.#announceChangedLists(), LIST_CHANGE_DELAY_MS).unref()
    for (const kind of kinds) this.#changedLists.add(kind)
  }

  #announceChangedLists(): void {
    const kinds = [...this.#changedLists]
    this.#changedLists.clear()
    for (const listener of this.#listeners) for (const kind of kinds) listener.notifyListChanged(kind)
  }

  async #forward(request: ForwardedRequest): Promise<Record<string, unknown>> {
    const { serverName, method, params, exchange, client } = request
    const inputRequest = { method, ...(params !== undefined && { params }) }
    if (exchange === undefined) {
      const roots = method === 'roots/list' ? await this.#findSession(client)?.listRoots() : undefined
      return roots ?? { ...createDefaultAnswer(inputRequest, this.folders) }
    }
    const key = `${serverName}_${method.split('/')[0]}`
    const answers = await exchange.answer(attributeToServer(serverName, { [key]: inputRequest }))
    return { ...(answers[key] as Record<string, unknown>) }
  }

  /** Returns the session of the client that a server works for, or the only one. */
  #findSession(client: ExchangeClient | undefined): ClientSession | undefined {
    if (client instanceof ClientSession) return client
    const [onlySession, secondSession] = Array.from(this.#listeners, ({ session }) => session).filter(Boolean)
    return secondSession === undefined ? onlySession : undefined
  }

  #log(entry: ServerLogEntry, exchange: Exchange | undefined): void {
    const { serverName: _, ...params } = entry
    if (exchange instanceof ClientCall) exchange.notify(toLogNotification(params))
    else for (const listener of this.#listeners) listener.log(entry)
  }
}
