import { ToolCallError } from '../../contract/errors.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { McpConnection } from '../client/connection.js'
import type { ConfiguredServer } from '../config/server-config.js'
import { cutText, plainLine, plainText } from '../tools/plain-line.js'
import {
  MAX_DESCRIPTION_CHARS,
  type McpToolDefinition,
  type ReadDefinitions,
  readDefinitions,
} from '../tools/read-definition.js'
import type { CachedServer } from './definition-cache.js'
import type { DefinitionDoubt } from './definition-review.js'
import type { ServerWorld } from './server-environment.js'

/** What a server has to offer, read and checked. */
export interface ServerOffer extends ReadDefinitions {
  readonly prompts: readonly McpPrompt[]
  readonly hasResources: boolean
  /** As it came, to tell whether anything changed, and to be kept. */
  readonly raw: Omit<CachedServer, 'savedAt'>
}

const LIST_LIMIT_MS = 60_000

/** Asks a server for all that it says it has. A list that it cannot give counts as empty, save that of its tools. */
async function fetchOffer(
  name: string,
  connection: McpConnection,
  signal: AbortSignal,
  onProblem: (problem: string) => void,
): Promise<ServerOffer> {
  const { capabilities, era } = connection.info
  const options = { signal, limitMs: LIST_LIMIT_MS }
  const orNone = async (list: Promise<readonly unknown[]>, what: string): Promise<readonly unknown[]> => {
    try {
      return await list
    } catch (error) {
      if (!signal.aborted) onProblem(`The MCP server ${name} could not list its ${what}: ${quote(String(error))}`)
      return []
    }
  }
  const none: readonly unknown[] = []
  const [tools, prompts, resources, templates] = await Promise.all([
    capabilities.tools ? connection.list('tools/list', options) : none,
    capabilities.prompts ? orNone(connection.list('prompts/list', options), 'prompts') : none,
    capabilities.resources ? orNone(connection.list('resources/list', options), 'resources') : none,
    capabilities.resources ? connection.list('resources/templates/list', options).catch(() => none) : none,
  ])
  return readOffer(name, { tools, prompts, era, hasResources: resources.length + templates.length > 0 })
}

function readOffer(name: string, raw: Omit<CachedServer, 'savedAt'>): ServerOffer {
  return { ...readDefinitions(raw.tools), prompts: readPrompts(name, raw.prompts), hasResources: raw.hasResources, raw }
}

/** Whether two offers say the same. Text compares faster than anything else here, and what is too deep to be text differs. */
function isSameOffer(a: ServerOffer, b: ServerOffer): boolean {
  try {
    return JSON.stringify(a.raw) === JSON.stringify(b.raw)
  } catch {
    return false
  }
}

export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

const MAX_NAME_CHARS = 256

/** Prompts as their server lists them; an entry without a name is left out. */
function readPrompts(server: string, entries: readonly unknown[]): readonly McpPrompt[] {
  return entries.filter(isNamed).map((entry) => ({
    server,
    name: entry.name,
    description: describe(entry.description ?? entry.title),
    arguments: (Array.isArray(entry.arguments) ? entry.arguments : []).filter(isNamed).map((argument) => ({
      name: argument.name,
      description: describe(argument.description),
      required: argument.required === true,
    })),
  }))
}

function isNamed(entry: unknown): entry is Record<string, unknown> & { readonly name: string } {
  if (!isRecord(entry) || typeof entry.name !== 'string' || entry.name === '') return false
  return plainLine(entry.name, MAX_NAME_CHARS) === entry.name
}

function describe(text: unknown): string {
  return typeof text === 'string' ? cutText(plainText(text), MAX_DESCRIPTION_CHARS) : ''
}

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
