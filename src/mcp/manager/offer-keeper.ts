import { ToolCallError } from '../../contract/errors.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { McpConnection } from '../client/connection.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'
import { fetchOffer, isSameOffer, readOffer, type ServerOffer } from './server-offer.js'
import type { DefinitionDoubt, ServerWorld } from './server-world.js'

/** A server that says all the time that its list has changed is not asked all the time. */
const REFRESH_PAUSE_MS = 200

/** What one server offers: from last time, as it says now, and again whenever it says that it changed. */
export class OfferKeeper {
  readonly #server: ConfiguredServer
  readonly #world: ServerWorld
  #offer: ServerOffer | undefined
  #byName: ReadonlyMap<string, McpToolDefinition> = new Map()
  #doubts: Map<McpToolDefinition, DefinitionDoubt> = new Map()
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

  /** What a person has to be asked before it may be called. */
  doubt(definition: McpToolDefinition): DefinitionDoubt | undefined {
    return this.#doubts.get(definition)
  }

  /** A person let a call through, and with it the tool as it is now. */
  async accept(definition: McpToolDefinition): Promise<void> {
    const doubt = this.#doubts.get(definition)
    this.#doubts.delete(definition)
    try {
      await doubt?.accept()
    } catch (error) {
      this.#world.onProblem(`What you approved is asked about again next time: ${reasonOf(error)}`)
    }
  }

  /** Takes what is known from last time; whether it is fresh. */
  async load({ onlyFresh = false } = {}): Promise<boolean> {
    const { name, config } = this.#server
    const known = await this.#world.cache?.read(name, config)
    if (known === undefined || (onlyFresh && !known.isFresh)) return false
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
    this.#doubts = new Map(await this.#world.review?.(this.#server, offer.definitions))
    this.#offer = offer
    this.#byName = new Map(offer.definitions.map((definition) => [definition.name, definition]))
    for (const { name, reason } of offer.refused) {
      this.#world.onProblem(`The tool ${quote(name)} of the MCP server ${this.#server.name} is left out: ${reason}.`)
    }
    this.#world.onChange()
  }
}
