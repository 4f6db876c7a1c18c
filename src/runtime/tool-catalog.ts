import type { Assembly } from '../assembly/create-assembly.js'
import { toolDefinitions } from '../assembly/tool-definitions.js'
import type { AgentDefinition } from '../contract/context.js'
import type { ToolDefinitionError } from '../contract/errors.js'
import { isDeferredTool } from '../contract/is-deferred-tool.js'
import type { ToolDefinition } from '../contract/messages.js'
import type { ToolPermissionContext } from '../contract/permission-context.js'
import type { Tool, Tools } from '../contract/tool.js'
import { findToolByName } from '../contract/tool-identity.js'
import type { ToolDirectory } from '../execution/find-tool.js'

export interface CatalogSources {
  readonly assembly: Assembly<Tool>
  /** Every tool of the host, in the pool or not. */
  readonly tools: Tools
  readonly mcpTools: () => Tools
  readonly permissions: () => ToolPermissionContext
  readonly agentDefinitions: readonly AgentDefinition[]
  readonly onProblem: (problem: ToolDefinitionError) => void
}

/** The tool that finds deferred ones: without it in the pool nothing is held back. */
const SEARCH_TOOL = 'ToolSearch'

/** Which tools one agent can call now, and which of them its model has seen. Pools are immutable, so that what follows from one is kept with it. */
export class ToolCatalog {
  readonly #sources: CatalogSources
  readonly #loaded = new Set<string>()
  #known: { readonly pool: Tools; readonly directory: ToolDirectory; readonly defers: boolean } | undefined
  #sent: { readonly all: readonly ToolDefinition[]; readonly sent: readonly ToolDefinition[] } | undefined

  constructor(sources: CatalogSources) {
    this.#sources = sources
  }

  /** In the order it is sent. */
  get pool(): Tools {
    const { assembly, permissions, mcpTools } = this.#sources
    return assembly.assembleToolPool(permissions(), mcpTools())
  }

  find(name: string): Tool | undefined {
    return findToolByName(this.pool, name)
  }

  get directory(): ToolDirectory {
    return this.#factsOf(this.pool).directory
  }

  /** Whether the model has the schema: a deferred tool is held back until it is loaded. */
  isSchemaSent(tool: Tool): boolean {
    return this.#isSent(tool, this.pool)
  }

  /** Makes deferred tools part of every later request; of old names the present one. */
  load(names: readonly string[]): void {
    for (const name of names) this.#loaded.add(this.find(name)?.name ?? name)
    this.#sent = undefined
  }

  /** What the model is told. While nothing changes, the same array. */
  async definitions(): Promise<readonly ToolDefinition[]> {
    const { permissions, agentDefinitions, onProblem } = this.#sources
    const { pool } = this
    const { definitions, problems } = await toolDefinitions(pool, {
      toolPermissionContext: permissions(),
      agentDefinitions,
    })
    for (const problem of problems) onProblem(problem)
    if (this.#sent?.all === definitions) return this.#sent.sent
    const held = new Set(pool.filter((tool) => !this.#isSent(tool, pool)).map(({ name }) => name))
    const sent = held.size === 0 ? definitions : Object.freeze(definitions.filter(({ name }) => !held.has(name)))
    this.#sent = { all: definitions, sent }
    return sent
  }

  #isSent(tool: Tool, pool: Tools): boolean {
    return !isDeferredTool(tool) || this.#loaded.has(tool.name) || !this.#factsOf(pool).defers
  }

  #factsOf(pool: Tools) {
    if (this.#known?.pool !== pool) {
      const directory = { tools: pool, absentTools: this.#sources.tools }
      this.#known = { pool, directory, defers: pool.some(({ name }) => name === SEARCH_TOOL) }
    }
    return this.#known
  }
}
