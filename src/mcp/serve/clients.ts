import { type Exchange, saidBy } from '../client/exchange.js'
import type { ForwardedRequest, ServerLogEntry, ServerRequests } from '../client/server-requests.js'
import { answerInstead, FrontCall } from './client-call.js'

/** A client that is there for longer than a request, and hears what is told to all. */
export interface Audience {
  listsChanged(): void
  resourceUpdated(uri: string): void
  log(entry: ServerLogEntry): void
}

/** The clients in front: what servers behind ask and tell goes to the one that their work is done for, or to all. */
export class Clients {
  readonly #audiences = new Set<Audience>()
  /** The folders that servers may know of where their client names none. */
  folders: readonly string[] = []

  readonly requests: ServerRequests = {
    forward: (request) => this.#forward(request),
    onLog: (entry, exchange) => this.#log(entry, exchange),
    onResourceUpdated: ({ uri }) => {
      for (const audience of this.#audiences) audience.resourceUpdated(uri)
    },
  }

  /** Gives what ends it. */
  join(audience: Audience): () => void {
    this.#audiences.add(audience)
    return () => this.#audiences.delete(audience)
  }

  /** Tells all that servers offer something else than before. */
  listsChanged(): void {
    for (const audience of this.#audiences) audience.listsChanged()
  }

  async #forward({ serverName, method, params, exchange }: ForwardedRequest): Promise<Record<string, unknown>> {
    const request = { method, ...(params !== undefined && { params }) }
    if (exchange === undefined) return { ...answerInstead(request, this.folders) }
    const key = `${serverName}_${method.split('/')[0]}`
    const answers = await exchange.answer(saidBy(serverName, { [key]: request }))
    return { ...(answers[key] as Record<string, unknown>) }
  }

  #log(entry: ServerLogEntry, exchange: Exchange | undefined): void {
    const { serverName: _, ...params } = entry
    if (exchange instanceof FrontCall) exchange.notify({ method: 'notifications/message', params })
    else for (const audience of this.#audiences) audience.log(entry)
  }
}
