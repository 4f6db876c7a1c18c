import type { Assembly } from '../../assembly/create-assembly.js'
import { type TimedOutTools, toolDefinitions } from '../../assembly/tool-definitions.js'
import type { ToolDefinitionError } from '../../contract/errors.js'
import type { ToolDefinition } from '../../contract/messages.js'
import type { ToolPermissionContext } from '../../contract/permission/context.js'
import type { AgentDefinition } from '../../contract/tool/context.js'
import { isDeferredTool } from '../../contract/tool/deferred-tools.js'
import { findToolByName } from '../../contract/tool/identity.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import type { OfferTools } from './offered-tools.js'

export interface CatalogSources {
  readonly assembly: Assembly<Tool>
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

  constructor(sources: CatalogSources) {
    this.#sources = sources
  }

  /** The tools in the order in which they are sent. */
  get pool(): Tools {
    const { assembly, permissions, mcpTools, offer } = this.#sources
    const pool = assembly.assembleToolPool(permissions(), mcpTools())
    return offer === undefined ? pool : offer(pool)
  }

  /** All additional tools of the host and of its MCP servers, including denied ones. */
  get externalTools(): Tools {
    return this.#sources.mcpTools()
  }

  get facts(): PoolFacts {
    const { pool } = this
    if (this.#cachedFacts?.pool !== pool) this.#cachedFacts = factsOf(pool)
    return this.#cachedFacts
  }

  find(name: string): Tool | undefined {
    return findToolByName(this.pool, name)
  }

  /** All definitions of a pool. Returns the same array while nothing changes. */
  async describe(pool: Tools): Promise<readonly ToolDefinition[]> {
    const { permissions, agentDefinitions, onProblem, timedOutTools } = this.#sources
    const options = { toolPermissionContext: permissions(), agentDefinitions }
    const { definitions, problems } = await toolDefinitions(pool, options, timedOutTools)
    for (const problem of problems) onProblem(problem)
    return definitions
  }
}

function factsOf(pool: Tools): PoolFacts {
  return {
    pool,
    deferred: new Set(pool.filter((tool) => isDeferredTool(tool)).map(({ name }) => name)),
    canSearch: pool.some(({ findsTools }) => findsTools === true),
  }
}
