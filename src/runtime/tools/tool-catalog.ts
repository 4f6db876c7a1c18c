import type { Assembly } from '../../assembly/create-assembly.js'
import { toolDefinitions } from '../../assembly/tool-definitions.js'
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
  readonly mcpTools: () => Tools
  readonly permissions: () => ToolPermissionContext
  readonly agentDefinitions: readonly AgentDefinition[]
  readonly onProblem: (problem: ToolDefinitionError) => void
  /** Left out where the agent may have every tool. */
  readonly offer?: OfferTools | undefined
}

/** What follows from one pool. */
export interface PoolFacts {
  readonly pool: Tools
  /** Names of the tools that are announced by name alone where tools are deferred. */
  readonly deferred: ReadonlySet<string>
  /** Whether a tool can find deferred tools; otherwise nothing is deferred. */
  readonly canSearch: boolean
}

/** Which tools one agent can call now. Pools are immutable, so that what follows from one is kept with it. */
export class ToolCatalog {
  readonly #sources: CatalogSources
  #known: PoolFacts | undefined

  constructor(sources: CatalogSources) {
    this.#sources = sources
  }

  /** In the order it is sent. */
  get pool(): Tools {
    const { assembly, permissions, mcpTools, offer } = this.#sources
    const pool = assembly.assembleToolPool(permissions(), mcpTools())
    return offer === undefined ? pool : offer(pool)
  }

  /** All that servers have, also what is denied. */
  get served(): Tools {
    return this.#sources.mcpTools()
  }

  get facts(): PoolFacts {
    const { pool } = this
    if (this.#known?.pool !== pool) this.#known = factsOf(pool)
    return this.#known
  }

  find(name: string): Tool | undefined {
    return findToolByName(this.pool, name)
  }

  /** Every definition of a pool. While nothing changes, the same array. */
  async describe(pool: Tools): Promise<readonly ToolDefinition[]> {
    const { permissions, agentDefinitions, onProblem } = this.#sources
    const { definitions, problems } = await toolDefinitions(pool, {
      toolPermissionContext: permissions(),
      agentDefinitions,
    })
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
