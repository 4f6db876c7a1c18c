import type { ToolDefinition } from '../../contract/messages.js'
import type { Tool, Tools } from '../../contract/tool/tool.js'
import type { FoundKeys, ToolFinder } from '../../tool-search/find/tool-finder.js'
import type { SearchableTool } from '../../tool-search/rank/index.js'

/** The tools of a pool with their definitions as sent to the model. */
export interface DescribedPool {
  readonly pool: Tools
  readonly definitions: readonly ToolDefinition[]
}

export interface PoolSearch {
  readonly query: string
  readonly maxResults: number
  isSearched(tool: Tool): boolean
}

export interface PoolAnswer extends Pick<FoundKeys, 'missing'> {
  readonly tools: Tools
  readonly nearestServers: readonly string[]
}

/** The pool of the last search. Pools are immutable, so another search in it needs no update of the index. */
interface IndexedPool extends DescribedPool {
  readonly tools: ReadonlySet<Tool>
  readonly servers: ReadonlySet<string | undefined>
}

const MAX_NEAREST_SERVERS = 3

/** One search index for the tools of all agents. Built with the first search; later searches add and remove the difference. */
export class PoolIndex {
  readonly #liveTools: () => Iterable<Tool>
  readonly #loadFinder: () => Promise<ToolFinder>
  readonly #keysByTool = new Map<Tool, string>()
  readonly #toolsByKey = new Map<string, Tool>()
  #finder: Promise<ToolFinder> | undefined
  #nextKey = 0
  #indexedPool: IndexedPool | undefined
  /** Searches run one after another, because updating the index takes several turns of the event loop. */
  #lastSearch: Promise<unknown> = Promise.resolve()

  /** `liveTools` returns every tool that any agent can have now. */
  constructor(liveTools: () => Iterable<Tool>, loadFinder = importFinder) {
    this.#liveTools = liveTools
    this.#loadFinder = loadFinder
  }

  search(describedPool: DescribedPool, search: PoolSearch): Promise<PoolAnswer> {
    const answer = this.#lastSearch.then(() => this.#search(describedPool, search))
    this.#lastSearch = answer.catch(() => {})
    return answer
  }

  async #search(describedPool: DescribedPool, { query, maxResults, isSearched }: PoolSearch): Promise<PoolAnswer> {
    this.#finder ??= this.#loadFinder()
    const finder = await this.#finder
    const { tools: poolTools, servers } = await this.#update(finder, describedPool)
    const getTool = (key: string) => this.#toolsByKey.get(key) as Tool
    const isCallable = (key: string) => poolTools.has(getTool(key))
    const { keys, missing } = finder.find(query, maxResults, {
      isCallable,
      isSearched: (key) => isCallable(key) && isSearched(getTool(key)),
    })
    return {
      tools: keys.map(getTool),
      missing,
      nearestServers:
        keys.length > 0
          ? []
          : finder
              .findNearestServers(query, servers.size)
              .filter((server) => servers.has(server))
              .slice(0, MAX_NEAREST_SERVERS),
    }
  }

  /** Compares tools by identity: a server that reconnects brings new tools under the same names. */
  async #update(finder: ToolFinder, { pool, definitions }: DescribedPool): Promise<IndexedPool> {
    if (this.#indexedPool?.pool === pool && this.#indexedPool.definitions === definitions) return this.#indexedPool
    const currentTools = new Set([...this.#liveTools(), ...pool])
    const removedEntries = [...this.#keysByTool].filter(([tool]) => !currentTools.has(tool))
    for (const [tool, key] of removedEntries) {
      this.#keysByTool.delete(tool)
      this.#toolsByKey.delete(key)
    }
    await finder.removeInSlices(removedEntries.map(([, key]) => key))
    const definitionsByName = new Map(definitions.map((definition) => [definition.name, definition]))
    await finder.addInSlices(
      pool.flatMap((tool) => {
        const definition = definitionsByName.get(tool.name)
        // A tool without a definition could not be loaded after it was found.
        return this.#keysByTool.has(tool) || definition === undefined ? [] : [this.#createEntry(tool, definition)]
      }),
    )
    const servers = new Set(pool.map(({ mcpInfo }) => mcpInfo?.serverName))
    this.#indexedPool = { pool, definitions, tools: new Set(pool), servers }
    return this.#indexedPool
  }

  #createEntry(tool: Tool, { description, input_schema }: ToolDefinition): SearchableTool {
    const key = String(this.#nextKey++)
    this.#keysByTool.set(tool, key)
    this.#toolsByKey.set(key, tool)
    const { name, aliases, searchHint, isMcp, mcpInfo } = tool
    return {
      key,
      name,
      description,
      inputSchema: input_schema,
      ...(aliases !== undefined && { aliases }),
      ...(searchHint !== undefined && { searchHint }),
      ...(isMcp !== undefined && { isMcp }),
      ...(mcpInfo !== undefined && { server: mcpInfo.serverName }),
    }
  }
}

/** Imported with the first search: the ranker is large, and most programs never search. */
async function importFinder(): Promise<ToolFinder> {
  const { createToolFinder } = await import('../../tool-search/find/tool-finder.js')
  return createToolFinder()
}
