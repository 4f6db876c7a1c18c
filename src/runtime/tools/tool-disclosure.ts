import type { AttachmentMessage, Message, ToolDefinition } from '../../contract/messages.js'
import type { ModelEndpoint } from '../../contract/model/model.js'
import type { CatalogAnswer, CatalogPort } from '../../contract/ports/catalog.js'
import { extractDiscoveredToolNames, referencedToolNames } from '../../contract/tool/deferred-tools.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import { announceDeferredTools } from '../../tool-search/announce/announce-deferred-tools.js'
import { messageCarrier } from '../../tool-search/request/carry-messages.js'
import { type Carrier, chooseCarrier, isCarrierRejection } from '../../tool-search/request/choose-carrier.js'
import {
  DEFAULT_CONTEXT_WINDOW,
  type DeferralDecision,
  decideDeferral,
  expectDeferral,
} from '../../tool-search/request/decide-deferral.js'
import { definitionTokens } from '../../tool-search/request/estimate-tokens.js'

import { isPlaceholder, nextRequestTools, type RequestTools } from '../../tool-search/request/request-tools.js'
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

/** Why definitions are sent or held back. */
export interface Deferral extends DeferralDecision {
  readonly carrier: Carrier
  readonly carrierReason: string
}

/** What one agent's model has been told of the tools, and how it learns of more. */
export class ToolDisclosure implements CatalogPort {
  readonly #sources: DisclosureSources
  readonly #carryMessages = messageCarrier()
  /** In the order of discovery; without a definition while the tool has not been seen. */
  readonly #discovered = new Map<string, ToolDefinition | undefined>()
  /** Of these, what the provider loads by a reference in the conversation; any other has to be sent whole. */
  #referenced = new Set<string>()
  #sent: RequestTools | undefined
  /** That was to the parent's model, and this agent has made no request yet. */
  #isInherited = false
  /** Sent whole from the first request that deferred any: what is not among them has to be searched for. */
  #base: ReadonlySet<string> | undefined
  #endpoint: ModelEndpoint | undefined
  #reason: string | undefined
  #wasNative = false
  #hasFallenBack = false

  constructor(sources: DisclosureSources) {
    this.#sources = sources
    this.#endpoint = sources.settings.endpoint
  }

  /** The tools of the next request. While nothing changes, the same array. */
  async definitions(endpoint: ModelEndpoint | undefined = this.#endpoint): Promise<readonly ToolDefinition[]> {
    const { catalog } = this.#sources
    const { facts } = catalog
    const definitions = await catalog.describe(facts.pool)
    this.#endpoint = endpoint
    if (this.#isInherited) this.#takeOver(definitions)
    for (const definition of definitions) {
      if (this.#discovered.has(definition.name)) this.#discovered.set(definition.name, definition)
    }
    const { defers, reason } = this.#decide(facts, definitions)
    this.#reason = reason
    this.#base = defers ? (this.#base ?? this.#firstBase(facts, definitions)) : undefined
    this.#sent = nextRequestTools(this.#sent, {
      definitions,
      carrier: defers ? this.#carrier : 'inline',
      isDeferred: (name) => facts.deferred.has(name),
      discovered: [...this.#discovered.values()].filter((each) => each !== undefined),
      referenced: this.#referenced,
    })
    this.#wasNative ||= this.#sent.carrier === 'native'
    return this.#sent.definitions
  }

  /** The history as the endpoint takes it, which `definitions` was last told of. */
  async carry(messages: readonly Message[]): Promise<readonly Message[]> {
    const tools = await this.definitions()
    const carrier = this.#sent?.carrier ?? 'inline'
    return this.#carryMessages(messages, { carrier, tools, definitionOf: (name) => this.#discovered.get(name) })
  }

  /** What the model has to be told of deferred tools now, if anything. */
  async announce(messages: readonly Message[]): Promise<AttachmentMessage | undefined> {
    await this.definitions()
    const { catalog } = this.#sources
    const { pool } = catalog
    const isHeldBack = this.#heldBack()
    // One that cannot be described cannot be loaded either.
    const described = new Set((await catalog.describe(pool)).map(({ name }) => name))
    const tools = pool.filter(({ name }) => described.has(name))
    return announceDeferredTools(messages, {
      tools: announced(tools.filter(({ name }) => isHeldBack(name))),
      sentWhole: new Set(tools.flatMap(({ name }) => (isHeldBack(name) ? [] : [name]))),
      pendingServers: this.deferral.defers ? this.#sources.pendingServers() : [],
    })
  }

  async search(query: string, { maxResults }: { readonly maxResults: number }): Promise<CatalogAnswer> {
    const { catalog, index, pendingServers } = this.#sources
    const { pool, deferred } = catalog.facts
    const described = { pool, definitions: await catalog.describe(pool) }
    const isHeldBack = this.#heldBack()
    const isSearched = ({ name }: Tool) => deferred.has(name) || isHeldBack(name)
    const { tools, missing, nearestServers } = await index.search(described, { query, maxResults, isSearched })
    return { names: tools.map(({ name }) => name), missing, nearestServers, pendingServers: pendingServers() }
  }

  async load(names: readonly string[]): Promise<readonly ToolDefinition[]> {
    const { catalog } = this.#sources
    const { pool } = catalog
    const present = names.map((name) => catalog.find(name)?.name ?? name)
    const references = new Set(this.#loadedByReference(present))
    for (const name of references) this.#referenced.add(name)
    this.discover(present)
    const definitions = new Map((await catalog.describe(pool)).map((definition) => [definition.name, definition]))
    return present.flatMap((name) => {
      const definition = definitions.get(name)
      if (definition === undefined) return []
      // Kept from now on: should the tool vanish, the model has been told of it.
      this.#discovered.set(name, definition)
      return [references.has(name) ? { ...definition, defer_loading: true as const } : definition]
    })
  }

  /** Makes tools part of every later request; of old names the present one. */
  discover(names: readonly string[]): void {
    for (const written of names) {
      const name = this.#sources.catalog.find(written)?.name ?? written
      if (!this.#discovered.has(name)) this.#discovered.set(name, undefined)
    }
  }

  /** Takes over what a conversation discovered: one that is resumed, or that was compacted. */
  restore(messages: readonly Message[]): void {
    this.discover(extractDiscoveredToolNames(messages))
    this.#referenced = referencedToolNames(messages)
  }

  /** That of a sub-agent, whose conversation begins with these messages: it knows what this one knows. */
  fork(sources: DisclosureSources, messages: readonly Message[] = []): ToolDisclosure {
    const forked = new ToolDisclosure(sources)
    for (const name of this.#discovered.keys()) forked.#discovered.set(name, undefined)
    forked.#sent = this.#sent
    forked.#isInherited = true
    forked.#base = this.#base
    forked.#endpoint = this.#endpoint
    forked.#reason = this.#reason
    forked.restore(messages)
    return forked
  }

  /** Whether the model has the schema of a tool. */
  isSchemaSent({ name }: Tool): boolean {
    if (this.#discovered.has(name)) return true
    return !this.#heldBack()(name)
  }

  /** Whether the model was told of a tool by this name, be it there now or not. */
  wasSent(name: string): boolean {
    return this.#sent?.definitions.some((definition) => definition.name === name) ?? false
  }

  /** As last decided; before the first request as it is expected. */
  get deferral(): Deferral {
    const { settings, catalog } = this.#sources
    const { carrier, reason: carrierReason } = chooseCarrier({ ...settings, endpoint: this.#endpoint })
    if (this.#sent === undefined || this.#reason === undefined) {
      const expected = expectDeferral({ mode: settings.mode, canSearch: catalog.facts.canSearch })
      return { ...expected, carrier, carrierReason }
    }
    return { defers: this.#sent.carrier !== 'inline', reason: this.#reason, carrier, carrierReason }
  }

  /** Whether a failed request can be sent again in the portable carrier: once, and only if it was refused for the native one. */
  fallBack(error: unknown): boolean {
    if (!this.#wasNative || this.#hasFallenBack || !isCarrierRejection(error)) return false
    this.#hasFallenBack = true
    this.#sources.settings.wasRejected = true
    return true
  }

  /** A sub-agent begins with its parent's tools for the sake of the cache, but is not told of any that it may not have. */
  #takeOver(definitions: readonly ToolDefinition[]): void {
    const own = new Set(definitions.map(({ name }) => name))
    this.#isInherited = false
    if (this.#sent?.definitions.every((each) => own.has(each.name) || isPlaceholder(each)) === true) return
    this.#sent = undefined
    this.#base = undefined
  }

  get #carrier(): Carrier {
    return chooseCarrier({ ...this.#sources.settings, endpoint: this.#endpoint }).carrier
  }

  #decide({ canSearch, deferred }: PoolFacts, definitions: readonly ToolDefinition[]): DeferralDecision {
    const facts = { mode: this.#sources.settings.mode, canSearch }
    const expected = expectDeferral(facts)
    if (!expected.defers || facts.mode.type === 'tst') return expected
    if (this.#base !== undefined)
      return { defers: true, reason: 'deferring has begun, and the requests keep their beginning.' }
    const held = definitions.filter(({ name }) => deferred.has(name))
    return decideDeferral(facts, {
      deferredTokens: held.reduce((sum, definition) => sum + definitionTokens(definition), 0),
      contextWindow: this.#endpoint?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    })
  }

  /** What was sent before tools were first deferred stays; else it is what is never deferred. */
  #firstBase({ deferred }: PoolFacts, definitions: readonly ToolDefinition[]): ReadonlySet<string> {
    const before = this.#sent?.definitions ?? definitions.filter(({ name }) => !deferred.has(name))
    return new Set(before.map(({ name }) => name))
  }

  /** Of tools that are about to be loaded those that no request has whole. */
  #loadedByReference(names: readonly string[]): readonly string[] {
    if (this.#carrier !== 'native') return []
    const isHeldBack = this.#heldBack()
    return names.filter((name) => isHeldBack(name) && (this.#referenced.has(name) || !this.#discovered.has(name)))
  }

  /** Which names have to be searched for. After the first request that is all that comes, so that requests keep their beginning. */
  #heldBack(): (name: string) => boolean {
    if (!this.deferral.defers) return () => false
    const { deferred } = this.#sources.catalog.facts
    const base = this.#base
    return base === undefined ? (name) => deferred.has(name) : (name) => !base.has(name)
  }
}

function announced(tools: Tools) {
  return tools.map(({ name, mcpInfo }) => (mcpInfo === undefined ? { name } : { name, server: mcpInfo.serverName }))
}
