import { ToolCallError } from '../../contract/errors.js'
import { quote } from '../../shared/quote.js'
import type { McpConnection } from '../client/connection.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import { fetchOffer, isSameOffer, readOffer, type ServerOffer } from './server-offer.js'
import type { ServerWorld } from './server-world.js'

/** A server that says all the time that its list has changed is not asked all the time. */
const REFRESH_PAUSE_MS = 200

/** What one server offers: from last time, as it says now, and again whenever it says that it changed. */
export class OfferKeeper {
  readonly #server: ConfiguredServer
  readonly #world: ServerWorld
  #offer: ServerOffer | undefined
  #byName: ReadonlyMap<string, McpToolDefinition> = new Map()
  #refreshing: Promise<void> | undefined
  #isOutdated = false

  constructor(server: ConfiguredServer, world: ServerWorld) {
    this.#server = server
    this.#world = world
  }

  get offer(): ServerOffer | undefined {
    return this.#offer
  }

  definition(tool: string): McpToolDefinition {
    const found = this.#byName.get(tool)
    if (found !== undefined) return found
    const refused = this.#offer?.refused.find(({ name }) => name === tool)
    const why = refused === undefined ? 'is not offered any more' : `cannot be used: ${refused.reason}`
    throw new ToolCallError('unavailable', `The tool ${quote(tool)} of the MCP server ${this.#server.name} ${why}.`)
  }

  /** Takes what is known from last time; whether it is fresh. */
  async load(): Promise<boolean> {
    const { name, config } = this.#server
    const known = await this.#world.cache?.read(name, config)
    if (known === undefined) return false
    const { isFresh, savedAt, ...raw } = known
    if (this.#offer === undefined) await this.#take(readOffer(name, raw))
    return isFresh
  }

  async fetch(connection: McpConnection, signal: AbortSignal): Promise<void> {
    const { name, config } = this.#server
    const offer = await fetchOffer(name, connection, signal, this.#world.onProblem)
    await this.#take(offer)
    await this.#world.cache?.write(name, config, offer.raw)
  }

  /** One question at a time; a change that is told meanwhile is asked for afterwards. */
  refresh(connection: McpConnection, signal: AbortSignal): void {
    this.#isOutdated = true
    this.#refreshing ??= this.#refreshAll(connection, signal).finally(() => {
      this.#refreshing = undefined
    })
  }

  async #refreshAll(connection: McpConnection, signal: AbortSignal): Promise<void> {
    while (this.#isOutdated && !signal.aborted) {
      this.#isOutdated = false
      // What it offered before stands until it can say what it offers now.
      await this.fetch(connection, signal).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, REFRESH_PAUSE_MS).unref())
    }
  }

  async #take(offer: ServerOffer): Promise<void> {
    if (this.#offer !== undefined && isSameOffer(this.#offer, offer)) return
    const reviewed = await this.#world.review?.(this.#server, offer.definitions)
    this.#offer =
      reviewed === undefined
        ? offer
        : { ...offer, definitions: reviewed.definitions, refused: [...offer.refused, ...reviewed.refused] }
    this.#byName = new Map(this.#offer.definitions.map((definition) => [definition.name, definition]))
    for (const { name, reason } of this.#offer.refused) {
      this.#world.onProblem(`The tool ${quote(name)} of the MCP server ${this.#server.name} is left out: ${reason}.`)
    }
    this.#world.onChange()
  }
}
