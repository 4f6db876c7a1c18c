import type { NestedTools, ToolDirectory } from '../../calls/call-environment.js'
import type { CallableDefinition } from '../../contract/ports/calls.js'
import { findToolByName, isMcpTool } from '../../contract/tool/identity.js'
import { outputJSONSchemaOf } from '../../contract/tool/input-json-schema.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import type { PoolIndex } from './pool-index.js'
import type { ToolCatalog } from './tool-catalog.js'

interface CallingAgent {
  readonly catalog: ToolCatalog
  readonly services: { readonly tools: Tools; readonly toolIndex: PoolIndex }
}

/** The tools that tools of one agent can call: all that the agent may use, whether its model has seen them or not. */
export class AgentNestedTools implements NestedTools {
  readonly #agent: CallingAgent
  #directory: ToolDirectory | undefined

  constructor(agent: CallingAgent) {
    this.#agent = agent
  }

  /** Returns the directory of tools, the same object while the pool is the same. */
  directory(): ToolDirectory {
    const { catalog, services } = this.#agent
    const { nestedPool } = catalog
    if (this.#directory?.tools !== nestedPool) {
      this.#directory = {
        tools: nestedPool,
        searchAdvice: 'find one with tools.search(query)',
        get absentTools() {
          return [...services.tools, ...catalog.externalTools]
        },
      }
    }
    return this.#directory
  }

  async describe(name: string): Promise<CallableDefinition | undefined> {
    const { nestedPool } = this.#agent.catalog
    const tool = findToolByName(nestedPool, name)
    if (tool === undefined) return undefined
    const definitions = await this.#agent.catalog.describe(nestedPool)
    const definition = definitions.find((candidate) => candidate.name === tool.name)
    if (definition === undefined) return undefined
    const { description, input_schema: inputSchema } = definition
    return { ...toCallable(tool), description, inputSchema, ...toOutputSchema(tool) }
  }

  async search(query: string, { maxResults }: { readonly maxResults: number }): Promise<readonly string[]> {
    const { catalog, services } = this.#agent
    const pool = catalog.nestedPool
    const definitions = await catalog.describe(pool)
    const { tools } = await services.toolIndex.search(
      { pool, definitions },
      { query, maxResults, isSearched: () => true },
    )
    return tools.map(({ name }) => name)
  }
}

function toCallable(tool: Tool) {
  const { name, searchHint } = tool
  return { name, isMcp: isMcpTool(tool), ...(searchHint !== undefined && { hint: searchHint }) }
}

function toOutputSchema(tool: Tool): Pick<CallableDefinition, 'outputSchema'> {
  const outputSchema = outputJSONSchemaOf(tool)
  return outputSchema === undefined ? {} : { outputSchema }
}
