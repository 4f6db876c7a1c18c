import type { Assembly } from '../../assembly/create-assembly.js'
import { type TimedOutTools, toolDefinitions } from '../../assembly/tool-definitions.js'
import type { ToolDefinitionError } from '../../contract/errors.js'
import type { ToolDefinition } from '../../contract/messages.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { PortName } from '../../contract/ports/index.js'
import type { ForkOptions } from '../../contract/runtime.js'
import type { AgentDefinition } from '../../contract/tool/context.js'
import { isDeferredTool } from '../../contract/tool/deferred-tools.js'
import { findToolByName } from '../../contract/tool/identity.js'
import { allowNamesOf, type McpNeighbours, ruleNamesOf } from '../../contract/tool/rule-names.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'

export interface CatalogSources {
  readonly assembly: Assembly<Tool>
  readonly nestedAssembly: () => Assembly<Tool>
  readonly timedOutTools: TimedOutTools
  readonly mcpTools: () => Tools
  readonly permissions: () => ToolPermissionContext
  readonly agentDefinitions: readonly AgentDefinition[]
  readonly onProblem: (problem: ToolDefinitionError) => void
  /** Undefined if the agent may use every tool. */
  readonly offer?: OfferTools | undefined
}

/** Facts about the tools of one pool, computed once per pool. */
export interface PoolFacts {
  readonly pool: Tools
  /** The names of deferred tools, which are announced by name only. */
  readonly deferred: ReadonlySet<string>
  /** Whether a tool can find deferred tools; otherwise nothing is deferred. */
  readonly canSearch: boolean
}

/** The tools that one agent can call now. Pools are immutable, so facts about one are cached. */
export class ToolCatalog {
  readonly #sources: CatalogSources
  #cachedFacts: PoolFacts | undefined
  readonly #offeredPools = new WeakMap<Tools, Tools>()

  constructor(sources: CatalogSources) {
    this.#sources = sources
  }

  /** The tools in the order in which they are sent. */
  get pool(): Tools {
    const { assembly, permissions, mcpTools, offer } = this.#sources
    const pool = assembly.assembleToolPool(permissions(), mcpTools())
    return offer === undefined ? pool : this.#offer(pool, offer)
  }

  /** The tools that code in the REPL can call, in the same order. */
  get nestedPool(): Tools {
    const { nestedAssembly, permissions, mcpTools, offer } = this.#sources
    const pool = nestedAssembly().assembleToolPool(permissions(), mcpTools())
    return offer === undefined ? pool : offer(pool)
  }

  /** Returns the tools of a pool that the agent may use, computed once per pool: every call reads them. */
  #offer(pool: Tools, offer: OfferTools): Tools {
    const cachedPool = this.#offeredPools.get(pool)
    if (cachedPool !== undefined) return cachedPool
    const offeredPool = this.#keepRepl(pool, offer(pool))
    this.#offeredPools.set(pool, offeredPool)
    return offeredPool
  }

  /** Adds the REPL for an agent that is offered only tools that REPL mode hides, because it could not call them otherwise. */
  #keepRepl(pool: Tools, offeredPool: Tools): Tools {
    const repl = pool.find(({ modes }) => modes?.repl === 'runs')
    if (repl === undefined || offeredPool.includes(repl)) return offeredPool
    const isNeeded = this.nestedPool.some((tool) => tool.modes?.repl === 'hidden' && !pool.includes(tool))
    return isNeeded ? Object.freeze(pool.filter((tool) => tool === repl || offeredPool.includes(tool))) : offeredPool
  }

  /** All additional tools of the host and of its MCP servers, including denied ones. */
  get externalTools(): Tools {
    return this.#sources.mcpTools()
  }

  get facts(): PoolFacts {
    const { pool } = this
    if (this.#cachedFacts?.pool !== pool) this.#cachedFacts = computeFacts(pool)
    return this.#cachedFacts
  }

  find(name: string): Tool | undefined {
    return findToolByName(this.pool, name)
  }

  /** Returns all definitions of a pool: the same array while nothing changes. */
  async describe(pool: Tools): Promise<readonly ToolDefinition[]> {
    const { permissions, agentDefinitions, onProblem, timedOutTools } = this.#sources
    const options = { toolPermissionContext: permissions(), agentDefinitions }
    const { definitions, problems } = await toolDefinitions(pool, options, timedOutTools)
    for (const problem of problems) onProblem(problem)
    return definitions
  }
}

function computeFacts(pool: Tools): PoolFacts {
  return {
    pool,
    deferred: new Set(pool.filter((tool) => isDeferredTool(tool)).map(({ name }) => name)),
    canSearch: pool.some(({ findsTools }) => findsTools === true),
  }
}

/** Filters a pool to the tools that an agent may use. Returns the same array for the same pool. */
export type OfferTools = (pool: Tools) => Tools

const ALL_TOOLS_NAME = '*'

/**
 * Creates the filter for the tool lists of an agent definition; undefined if they allow every tool. If in doubt, a tool is left
 * out: an ambiguous name allows only the tool of exactly that name. A name with content allows nothing, but disallows the whole
 * tool.
 */
export function createToolOffer({
  tools,
  disallowedTools = [],
  withoutRoles = [],
}: Pick<ForkOptions, 'tools' | 'disallowedTools' | 'withoutRoles'>): OfferTools | undefined {
  const allowsAll = tools === undefined || tools.includes(ALL_TOOLS_NAME)
  if (allowsAll && disallowedTools.length === 0 && withoutRoles.length === 0) return undefined
  const allowedNames = allowsAll ? undefined : new Set(tools.map((name) => name.trim()))
  const disallowedNames = new Set(disallowedTools.map((rule) => rule.replace(/\(.*$/s, '').trim()))
  return cacheByPool((pool) => {
    const neighbours: McpNeighbours = { tools: pool, servers: [] }
    return pool.filter(
      (tool) =>
        isAllowed(tool, allowedNames, neighbours) &&
        !isDisallowed(tool, disallowedNames) &&
        !withoutRoles.some((role) => tool[role] === true),
    )
  })
}

/** Creates a filter that omits the tools that need one of these ports; undefined if there are none. */
export function omitToolsNeeding(ports: readonly PortName[]): OfferTools | undefined {
  if (ports.length === 0) return undefined
  return cacheByPool((pool) => pool.filter(({ needs = [] }) => !needs.some((need) => ports.includes(need))))
}

/** Applies the filter of the parent, then that of the agent. */
export function combineOffers(
  parentOffer: OfferTools | undefined,
  ownOffer: OfferTools | undefined,
): OfferTools | undefined {
  if (parentOffer === undefined || ownOffer === undefined) return parentOffer ?? ownOffer
  return (pool) => ownOffer(parentOffer(pool))
}

function isAllowed(tool: Tool, allowedNames: ReadonlySet<string> | undefined, neighbours: McpNeighbours): boolean {
  return allowedNames === undefined || allowNamesOf(tool, neighbours).some((name) => allowedNames.has(name))
}

function isDisallowed(tool: Tool, disallowedNames: ReadonlySet<string>): boolean {
  return disallowedNames.has(ALL_TOOLS_NAME) || ruleNamesOf(tool).some((name) => disallowedNames.has(name))
}

/** Caches the results of a filter by pool, because pools are immutable. */
function cacheByPool(filter: OfferTools): OfferTools {
  const cache = new WeakMap<Tools, Tools>()
  return (pool) => {
    let offeredTools = cache.get(pool)
    if (offeredTools === undefined) {
      offeredTools = Object.freeze(filter(pool))
      cache.set(pool, offeredTools)
    }
    return offeredTools
  }
}
