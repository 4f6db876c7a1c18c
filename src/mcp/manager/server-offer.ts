import { ToolCallError } from '../../contract/errors.js'
import { shortenText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { delayInBackground } from '../../shared/waiting.js'
import type { McpConnection } from '../client/connection.js'
import type { ListKind } from '../client/open-connection.js'
import type { ConfiguredServer } from '../config/server-config.js'
import { refuseUncompilable } from '../tools/compile-schemas.js'
import { type McpToolDefinition, type ParsedDefinitions, readDefinitions } from '../tools/read-definition.js'
import { MAX_DESCRIPTION_CHARS, toPlainLine, toPlainText } from '../tools/to-plain-line.js'
import type { CachedServer } from './definition-cache.js'
import type { RequiredConfirmation } from './definition-review.js'
import type { ServerEnvironment } from './server-environment.js'

/** The validated tools and prompts of a server. */
export interface ServerOffer extends ParsedDefinitions {
  readonly prompts: readonly McpPrompt[]
  readonly hasResources: boolean
  /** What the server says about the use of its tools: plain text of limited length. */
  readonly instructions?: string
  /** The unvalidated lists, for comparison and for the cache. */
  readonly raw: Omit<CachedServer, 'savedAt'>
}

const MAX_LIST_MS = 60_000

interface FetchOptions {
  readonly signal: AbortSignal
  /** How long fetching all lists may take. */
  readonly limitMs: number
}

/** Fetches all lists that the server announces. A list that fails counts as empty, except for the tools. */
async function fetchOffer(
  name: string,
  connection: McpConnection,
  { signal, limitMs }: FetchOptions,
  onProblem: (problem: string) => void,
): Promise<ServerOffer> {
  const { capabilities, era, instructions } = connection.info
  const limit = AbortSignal.timeout(limitMs)
  const options = { signal: AbortSignal.any([signal, limit]), limitMs: MAX_LIST_MS }
  const explainLimit = (error: unknown): never => {
    if (!limit.aborted || signal.aborted) throw error
    throw new ToolCallError('unavailable', `The MCP server ${name} did not list its tools in time.`)
  }
  const listOrEmpty = async (list: Promise<readonly unknown[]>, listName: string): Promise<readonly unknown[]> => {
    try {
      return await list
    } catch (error) {
      if (!signal.aborted) onProblem(`The MCP server ${name} failed to list its ${listName}: ${quote(String(error))}`)
      return []
    }
  }
  const emptyList: readonly unknown[] = []
  const [tools, prompts, resources, templates] = await Promise.all([
    capabilities.tools ? connection.list('tools/list', options).catch(explainLimit) : emptyList,
    capabilities.prompts ? listOrEmpty(connection.list('prompts/list', options), 'prompts') : emptyList,
    capabilities.resources ? listOrEmpty(connection.list('resources/list', options), 'resources') : emptyList,
    capabilities.resources ? connection.list('resources/templates/list', options).catch(() => emptyList) : emptyList,
  ])
  const hasResources = resources.length + templates.length > 0
  return readOffer(name, { tools, prompts, era, hasResources, ...(instructions !== undefined && { instructions }) })
}

const MAX_INSTRUCTIONS_CHARS = 2_048

async function readOffer(name: string, raw: Omit<CachedServer, 'savedAt'>): Promise<ServerOffer> {
  const definitions = await refuseUncompilable(readDefinitions(raw.tools))
  const instructions = shortenText(toPlainText(raw.instructions ?? '').trim(), MAX_INSTRUCTIONS_CHARS)
  return {
    ...definitions,
    prompts: readPrompts(name, raw.prompts),
    hasResources: raw.hasResources,
    ...(instructions !== '' && { instructions }),
    raw,
  }
}

/** Returns the lists that differ. */
function findChangedLists(before: ServerOffer | undefined, after: ServerOffer): readonly ListKind[] {
  const { tools, prompts, hasResources, era } = after.raw
  if (before === undefined) {
    const lists = { tools: tools.length > 0, prompts: prompts.length > 0, resources: hasResources }
    return LIST_KINDS.filter((kind) => lists[kind])
  }
  const { raw } = before
  const lists = {
    tools: !isSameJson(raw.tools, tools) || raw.era !== era,
    prompts: !isSameJson(raw.prompts, prompts),
    resources: raw.hasResources !== hasResources,
  }
  return LIST_KINDS.filter((kind) => lists[kind])
}

const LIST_KINDS = ['tools', 'prompts', 'resources'] as const

/** Compares two lists by their JSON, which is fast. Lists that are nested too deeply to serialise count as different. */
function isSameJson(a: unknown, b: unknown): boolean {
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}

/** A prompt that a server offers, with its arguments. */
export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
}

const MAX_NAME_CHARS = 256

/** Reads a list of prompts. Entries without a valid name are skipped. */
function readPrompts(server: string, entries: readonly unknown[]): readonly McpPrompt[] {
  return entries.filter(hasValidName).map((entry) => ({
    server,
    name: entry.name,
    description: toDescription(entry.description ?? entry.title),
    arguments: (Array.isArray(entry.arguments) ? entry.arguments : []).filter(hasValidName).map((argument) => ({
      name: argument.name,
      description: toDescription(argument.description),
      required: argument.required === true,
    })),
  }))
}

function hasValidName(entry: unknown): entry is Record<string, unknown> & { readonly name: string } {
  if (!isRecord(entry) || typeof entry.name !== 'string' || entry.name === '') return false
  return toPlainLine(entry.name, MAX_NAME_CHARS) === entry.name
}

function toDescription(text: unknown): string {
  return typeof text === 'string' ? shortenText(toPlainText(text), MAX_DESCRIPTION_CHARS) : ''
}

/** The minimum pause between two refreshes, for servers that announce changes all the time. */
const REFRESH_PAUSE_MS = 200

/** Holds the offer of one server: loaded from the cache, fetched, and refreshed when the server announces changes. */
export class OfferStore {
  readonly #server: ConfiguredServer
  readonly #environment: ServerEnvironment
  #offer: ServerOffer | undefined
  #byName: ReadonlyMap<string, McpToolDefinition> = new Map()
  #confirmations: Map<McpToolDefinition, RequiredConfirmation> = new Map()
  #refreshing: Promise<void> | undefined
  readonly #outdatedLists = new Set<ListKind>()

  constructor(server: ConfiguredServer, environment: ServerEnvironment) {
    this.#server = server
    this.#environment = environment
  }

  get offer(): ServerOffer | undefined {
    return this.#offer
  }

  getDefinition(tool: string): McpToolDefinition {
    const definition = this.#byName.get(tool)
    if (definition !== undefined) return definition
    const refusedDefinition = this.#offer?.refused.find(({ name }) => name === tool)
    const problem =
      refusedDefinition === undefined ? 'is no longer available' : `cannot be used: ${refusedDefinition.reason}`
    throw new ToolCallError('unavailable', `The tool ${quote(tool)} of the MCP server ${this.#server.name} ${problem}.`)
  }

  /** Returns the confirmation that the user must give before the tool may be called; undefined if none is needed. */
  findConfirmation(definition: McpToolDefinition): RequiredConfirmation | undefined {
    return this.#confirmations.get(definition)
  }

  /** Stores the current definition as approved, because the user allowed a call. */
  async accept(definition: McpToolDefinition): Promise<void> {
    const confirmation = this.#confirmations.get(definition)
    this.#confirmations.delete(definition)
    try {
      await confirmation?.accept()
    } catch (error) {
      this.#environment.onProblem(
        `Your approval of the tool ${quote(definition.name)} of the MCP server ${this.#server.name} could not be stored, so you will be asked again: ${reasonOf(error)}`,
      )
    }
  }

  /** Loads the cached offer. Returns whether it is fresh. */
  async load({ isFreshOnly = false } = {}): Promise<boolean> {
    const { name, config } = this.#server
    const cachedServer = await this.#environment.cache?.read(name, config)
    if (cachedServer === undefined || (isFreshOnly && !cachedServer.isFresh)) return false
    const { isFresh, savedAt, ...raw } = cachedServer
    if (this.#offer === undefined) await this.#replace(await readOffer(name, raw), { isCached: true })
    return isFresh
  }

  async fetch(connection: McpConnection, signal: AbortSignal, limitMs = MAX_LIST_MS): Promise<void> {
    const { name, config } = this.#server
    const offer = await fetchOffer(name, connection, { signal, limitMs }, this.#environment.onProblem)
    await this.#replace(offer)
    await this.#environment.cache?.write(name, config, offer.raw)
  }

  /** Fetches the offer again, one refresh at a time. A change announced in the meantime causes another refresh. */
  refresh(connection: McpConnection, signal: AbortSignal, changedList: ListKind): void {
    this.#outdatedLists.add(changedList)
    this.#refreshing ??= this.#refreshAll(connection, signal).finally(() => {
      this.#refreshing = undefined
    })
  }

  async #refreshAll(connection: McpConnection, signal: AbortSignal): Promise<void> {
    while (this.#outdatedLists.size > 0 && !signal.aborted) {
      // The offer has only the number of resources, so their announcement is passed on without a comparison.
      const areResourcesOutdated = this.#outdatedLists.has('resources')
      this.#outdatedLists.clear()
      // The previous offer stays valid until a fetch succeeds.
      await this.fetch(connection, signal).catch(() => {})
      if (areResourcesOutdated) this.#environment.onChange(['resources'])
      await delayInBackground(REFRESH_PAUSE_MS)
    }
  }

  async #replace(offer: ServerOffer, { isCached = false } = {}): Promise<void> {
    const changedLists = findChangedLists(this.#offer, offer)
    const isSame = changedLists.length === 0 && this.#offer?.instructions === offer.instructions
    if (this.#offer !== undefined && isSame) return
    // The program that runs the session defines its own tools, and changes them when it likes.
    const review = this.#server.config.type === 'sdk' ? undefined : this.#environment.review
    this.#confirmations = new Map(await review?.(this.#server, offer.definitions))
    this.#offer = offer
    this.#byName = new Map(offer.definitions.map((definition) => [definition.name, definition]))
    // Refused tools were reported when the offer was fetched, and are explained when they are called.
    for (const { name, reason } of isCached ? [] : offer.refused) {
      this.#environment.onProblem(
        `The tool ${quote(name)} of the MCP server ${this.#server.name} is skipped: ${reason}.`,
      )
    }
    this.#environment.onChange(changedLists)
  }
}
