import type { AttachmentMessage, Message, ToolDefinition } from '../../contract/messages.js'
import type { ModelEndpoint } from '../../contract/model/model.js'
import type { CatalogAnswer, CatalogPort } from '../../contract/ports/catalog.js'
import { extractDiscoveredToolNames, extractReferencedToolNames } from '../../contract/tool/deferred-tools.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import {
  announceDeferredTools,
  type CurrentDeferredTools,
  countAnnouncements,
} from '../../tool-search/announce/announce-deferred-tools.js'
import { createMessageCarrier } from '../../tool-search/request/carry-messages.js'
import { type Carrier, chooseCarrier, isCarrierRejection } from '../../tool-search/request/choose-carrier.js'
import { chooseInlineTools } from '../../tool-search/request/choose-inline-tools.js'
import {
  DEFAULT_CONTEXT_WINDOW,
  type DeferralDecision,
  decideDeferral,
  expectDeferral,
} from '../../tool-search/request/decide-deferral.js'
import { estimateDefinitionTokens } from '../../tool-search/request/estimate-tokens.js'

import { isPlaceholder, type RequestTools, selectRequestTools } from '../../tool-search/request/request-tools.js'
import type { PoolIndex } from './pool-index.js'
import type { PoolFacts, ToolCatalog } from './tool-catalog.js'
import type { ToolSearchSettings } from './tool-search-settings.js'

export interface DisclosureSources {
  readonly catalog: ToolCatalog
  readonly settings: ToolSearchSettings
  readonly index: PoolIndex
  /** Servers that are still connecting. */
  readonly pendingServers: () => readonly string[]
}

/** Why definitions are sent or deferred. */
export interface Deferral extends DeferralDecision {
  readonly carrier: Carrier
  readonly carrierReason: string
}

/** The inputs that determine the tools of a request. While all are the same, so are the tools. */
interface DisclosureInputs {
  readonly definitions: readonly ToolDefinition[]
  readonly endpoint: ModelEndpoint | undefined
  readonly carrier: Carrier
  readonly changes: number
}

/** An announcement check that found nothing to announce. */
interface NothingToAnnounce {
  readonly messages: readonly Message[]
  readonly announcements: number
  readonly deferred: Omit<CurrentDeferredTools, 'pendingServers'>
  readonly pendingServers: string
}

/**
 * Tracks which tools the model of one agent has received, and how it discovers more. Work is proportional to what changed since the last
 * request.
 */
export class ToolDisclosure implements CatalogPort {
  readonly #sources: DisclosureSources
  readonly #carryMessages = createMessageCarrier()
  /** The definitions of discovered tools, in order of discovery; undefined until the tool has been in the pool. */
  readonly #discoveredDefinitions = new Map<string, ToolDefinition | undefined>()
  /** Discovered tools that the provider loads by a reference in the conversation. All others are sent in full. */
  #referencedNames = new Set<string>()
  #lastRequest: RequestTools | undefined
  /** Whether `#lastRequest` is the parent's, because this agent has made no request yet. */
  #isInherited = false
  /** The names of the tools that are always sent while tools are deferred. All other tools must be searched for. */
  #baseNames: ReadonlySet<string> | undefined
  #endpoint: ModelEndpoint | undefined
  #deferralReason: string | undefined
  #wasNative = false
  #hasFallenBack = false
  /** Increased whenever discoveries or references may have changed. */
  #changeCount = 0
  #lastInputs: DisclosureInputs | undefined
  #deferred:
    | { readonly inputs: readonly unknown[]; readonly tools: Omit<CurrentDeferredTools, 'pendingServers'> }
    | undefined
  #nothingToAnnounce: NothingToAnnounce | undefined

  constructor(sources: DisclosureSources) {
    this.#sources = sources
    this.#endpoint = sources.settings.endpoint
  }

  /** Returns the tools of the next request: the same array while nothing changes. */
  async definitions(endpoint: ModelEndpoint | undefined = this.#endpoint): Promise<readonly ToolDefinition[]> {
    const { catalog } = this.#sources
    const { facts } = catalog
    const definitions = await catalog.describe(facts.pool)
    this.#endpoint = endpoint
    const inputs = { definitions, endpoint, carrier: this.#carrier, changes: this.#changeCount }
    if (this.#lastRequest !== undefined && areSameInputs(inputs, this.#lastInputs)) return this.#lastRequest.definitions
    this.#lastInputs = inputs
    if (this.#isInherited) this.#takeOver(definitions)
    for (const definition of definitions) {
      if (this.#discoveredDefinitions.has(definition.name)) this.#discoveredDefinitions.set(definition.name, definition)
    }
    const { defers, reason } = this.#decide(facts, definitions)
    this.#deferralReason = reason
    this.#baseNames = defers ? (this.#baseNames ?? this.#chooseFirstBase(facts, definitions)) : undefined
    this.#lastRequest = selectRequestTools(this.#lastRequest, {
      definitions,
      carrier: defers ? this.#carrier : 'inline',
      isDeferred: (name) => facts.deferred.has(name) && this.#baseNames?.has(name) !== true,
      discovered: [...this.#discoveredDefinitions.values()].filter((each) => each !== undefined),
      referenced: this.#referencedNames,
    })
    this.#wasNative ||= this.#lastRequest.carrier === 'native'
    return this.#lastRequest.definitions
  }

  /** Returns the history in the format of the endpoint that `definitions` was last called with. */
  async carry(messages: readonly Message[]): Promise<readonly Message[]> {
    const tools = await this.definitions()
    const carrier = this.#lastRequest?.carrier ?? 'inline'
    return this.#carryMessages(messages, {
      carrier,
      tools,
      definitionOf: (name) => this.#discoveredDefinitions.get(name),
    })
  }

  /** Returns the announcement of deferred tools that the conversation needs now, if any. */
  async announce(messages: readonly Message[]): Promise<AttachmentMessage | undefined> {
    await this.definitions()
    const { pool } = this.#sources.catalog
    const deferred = this.#findCurrentDeferred(pool, await this.#sources.catalog.describe(pool))
    const pendingServers = this.deferral.defers ? this.#sources.pendingServers() : []
    const state: NothingToAnnounce = {
      ...{ messages, deferred },
      announcements: countAnnouncements(messages),
      pendingServers: pendingServers.join('\n'),
    }
    if (areSameAnnouncements(state, this.#nothingToAnnounce)) return undefined
    const announcement = announceDeferredTools(messages, { ...deferred, pendingServers })
    this.#nothingToAnnounce = announcement === undefined ? state : undefined
    return announcement
  }

  /** Returns the deferred tools of a pool: the same object while nothing changes. */
  #findCurrentDeferred(
    pool: Tools,
    definitions: readonly ToolDefinition[],
  ): Omit<CurrentDeferredTools, 'pendingServers'> {
    const { defers } = this.deferral
    const inputs = [pool, definitions, this.#baseNames, defers]
    if (this.#deferred?.inputs.every((input, index) => input === inputs[index]) === true) return this.#deferred.tools
    const isWithheld = this.#createWithheldTest()
    // A tool that cannot be described cannot be loaded either.
    const describedNames = new Set(definitions.map(({ name }) => name))
    const describedTools = pool.filter(({ name }) => describedNames.has(name))
    const tools = {
      tools: toAnnouncedTools(describedTools.filter(({ name }) => isWithheld(name))),
      sentInFull: new Set(describedTools.flatMap(({ name }) => (isWithheld(name) ? [] : [name]))),
    }
    this.#deferred = { inputs, tools }
    return tools
  }

  async search(query: string, { maxResults }: { readonly maxResults: number }): Promise<CatalogAnswer> {
    const { catalog, index, pendingServers } = this.#sources
    const { pool, deferred } = catalog.facts
    const describedPool = { pool, definitions: await catalog.describe(pool) }
    const isWithheld = this.#createWithheldTest()
    const isSearched = ({ name }: Tool) => deferred.has(name) || isWithheld(name)
    const { tools, missing, nearestServers } = await index.search(describedPool, { query, maxResults, isSearched })
    return { names: tools.map(({ name }) => name), missing, nearestServers, pendingServers: pendingServers() }
  }

  async load(names: readonly string[]): Promise<readonly ToolDefinition[]> {
    const { catalog } = this.#sources
    const { pool } = catalog
    const currentNames = names.map((name) => catalog.find(name)?.name ?? name)
    const references = new Set(this.#filterLoadedByReference(currentNames))
    for (const name of references) this.#referencedNames.add(name)
    this.#changeCount++
    this.discover(currentNames)
    const definitions = new Map((await catalog.describe(pool)).map((definition) => [definition.name, definition]))
    return currentNames.flatMap((name) => {
      const definition = definitions.get(name)
      if (definition === undefined) return []
      // Kept for later requests, because the model may call the tool even if it is removed from the pool.
      this.#discoveredDefinitions.set(name, definition)
      return [references.has(name) ? { ...definition, defer_loading: true as const } : definition]
    })
  }

  /** Makes tools part of every later request. Aliases are replaced by the current name. */
  discover(names: readonly string[]): void {
    for (const requestedName of names) {
      const name = this.#sources.catalog.find(requestedName)?.name ?? requestedName
      if (this.#discoveredDefinitions.has(name)) continue
      this.#discoveredDefinitions.set(name, undefined)
      this.#changeCount++
    }
  }

  /** Restores the discoveries of a conversation that is resumed or was compacted. */
  restore(messages: readonly Message[]): void {
    this.#changeCount++
    this.discover(extractDiscoveredToolNames(messages))
    this.#referencedNames = extractReferencedToolNames(messages)
  }

  /** The disclosure of a sub-agent whose conversation starts with these messages. It inherits all discoveries. */
  fork(sources: DisclosureSources, messages: readonly Message[] = []): ToolDisclosure {
    const forkedDisclosure = new ToolDisclosure(sources)
    for (const name of this.#discoveredDefinitions.keys()) forkedDisclosure.#discoveredDefinitions.set(name, undefined)
    forkedDisclosure.#lastRequest = this.#lastRequest
    forkedDisclosure.#isInherited = true
    forkedDisclosure.#baseNames = this.#baseNames
    forkedDisclosure.#endpoint = this.#endpoint
    forkedDisclosure.#deferralReason = this.#deferralReason
    forkedDisclosure.restore(messages)
    return forkedDisclosure
  }

  /** Whether the model has the schema of a tool. */
  isSchemaSent({ name }: Tool): boolean {
    if (this.#discoveredDefinitions.has(name)) return true
    return !this.#createWithheldTest()(name)
  }

  /** Whether the last request contained a tool of this name, even if the tool has left the pool since. */
  wasSent(name: string): boolean {
    return this.#lastRequest?.definitions.some((definition) => definition.name === name) ?? false
  }

  /** The last decision; before the first request, the expected one. */
  get deferral(): Deferral {
    const { settings, catalog } = this.#sources
    const { carrier, reason: carrierReason } = chooseCarrier({ ...settings, endpoint: this.#endpoint })
    if (this.#lastRequest === undefined || this.#deferralReason === undefined) {
      const expected = expectDeferral({ mode: settings.mode, canSearch: catalog.facts.canSearch })
      return { ...expected, carrier, carrierReason }
    }
    return { defers: this.#lastRequest.carrier !== 'inline', reason: this.#deferralReason, carrier, carrierReason }
  }

  /**
   * Switches to the portable carrier if the error rejects the native one. Returns whether the request can be
   * repeated: true at most once.
   */
  fallBack(error: unknown): boolean {
    if (!this.#wasNative || this.#hasFallenBack || !isCarrierRejection(error)) return false
    this.#hasFallenBack = true
    this.#sources.settings.wasRejected = true
    return true
  }

  /** Takes over the tools of the parent to keep the cache valid, but never tools that the sub-agent may not use. */
  #takeOver(definitions: readonly ToolDefinition[]): void {
    const ownNames = new Set(definitions.map(({ name }) => name))
    this.#isInherited = false
    if (this.#lastRequest?.definitions.every((each) => ownNames.has(each.name) || isPlaceholder(each)) === true) return
    this.#lastRequest = undefined
    this.#baseNames = undefined
  }

  get #carrier(): Carrier {
    return chooseCarrier({ ...this.#sources.settings, endpoint: this.#endpoint }).carrier
  }

  #decide({ canSearch, deferred }: PoolFacts, definitions: readonly ToolDefinition[]): DeferralDecision {
    const facts = { mode: this.#sources.settings.mode, canSearch }
    const expected = expectDeferral(facts)
    if (!expected.defers || facts.mode.type === 'tst') return expected
    if (this.#baseNames !== undefined)
      return {
        defers: true,
        reason: 'tools were deferred in earlier requests, and later requests must start like those.',
      }
    const deferredDefinitions = definitions.filter(({ name }) => deferred.has(name))
    return decideDeferral(facts, {
      deferredTokens: deferredDefinitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0),
      contextWindow: this.#endpoint?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    })
  }

  /** Returns the tools that were sent before any was deferred; otherwise those that are not worth deferring. */
  #chooseFirstBase({ pool, deferred }: PoolFacts, definitions: readonly ToolDefinition[]): ReadonlySet<string> {
    if (this.#lastRequest !== undefined) return new Set(this.#lastRequest.definitions.map(({ name }) => name))
    const inlineNames =
      this.#carrier === 'native'
        ? new Set<string>()
        : chooseInlineTools(pool, definitions, (name) => deferred.has(name))
    return new Set(definitions.flatMap(({ name }) => (deferred.has(name) && !inlineNames.has(name) ? [] : [name])))
  }

  /** Returns the names among these that the provider will load by reference, because no request contains their definition. */
  #filterLoadedByReference(names: readonly string[]): readonly string[] {
    if (this.#carrier !== 'native') return []
    const isWithheld = this.#createWithheldTest()
    return names.filter(
      (name) => isWithheld(name) && (this.#referencedNames.has(name) || !this.#discoveredDefinitions.has(name)),
    )
  }

  /**
   * Creates the test for tools that must be searched for. After the first request, these are all new tools, so that
   * requests keep their prefix.
   */
  #createWithheldTest(): (name: string) => boolean {
    if (!this.deferral.defers) return () => false
    const { deferred } = this.#sources.catalog.facts
    const baseNames = this.#baseNames
    return baseNames === undefined ? (name) => deferred.has(name) : (name) => !baseNames.has(name)
  }
}

function areSameInputs(a: DisclosureInputs, b: DisclosureInputs | undefined): boolean {
  return (
    a.definitions === b?.definitions && a.endpoint === b.endpoint && a.carrier === b.carrier && a.changes === b.changes
  )
}

function areSameAnnouncements(a: NothingToAnnounce, b: NothingToAnnounce | undefined): boolean {
  return (
    a.messages === b?.messages &&
    a.announcements === b.announcements &&
    a.deferred === b.deferred &&
    a.pendingServers === b.pendingServers
  )
}

function toAnnouncedTools(tools: Tools) {
  return tools.map(({ name, mcpInfo }) => (mcpInfo === undefined ? { name } : { name, server: mcpInfo.serverName }))
}
