import type { ToolDefinition } from '../contract/messages.js'
import type { Tool, Tools } from '../contract/tool.js'
import type { SearchableTool } from '../tool-search/rank/index.js'
import type { FoundKeys, ToolFinder } from '../tool-search/tool-finder.js'

/** The tools of a pool with what the model would be told of each. */
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

/** The pool that was searched last. Pools are immutable: the next search in it costs nothing but the search. */
interface Followed extends DescribedPool {
  readonly inPool: ReadonlySet<Tool>
  readonly servers: ReadonlySet<string | undefined>
}

const SHOWN_SERVERS = 3

/** One index for the tools of all agents. It is made with the first search, and then follows: only what comes and goes costs. */
export class PoolIndex {
  readonly #alive: () => Iterable<Tool>
  readonly #load: () => Promise<ToolFinder>
  readonly #keys = new Map<Tool, string>()
  readonly #tools = new Map<string, Tool>()
  #finder: Promise<ToolFinder> | undefined
  #count = 0
  #followed: Followed | undefined

  /** `alive` gives every tool that any agent could have now. */
  constructor(alive: () => Iterable<Tool>, load = loadFinder) {
    this.#alive = alive
    this.#load = load
  }

  async search(described: DescribedPool, { query, maxResults, isSearched }: PoolSearch): Promise<PoolAnswer> {
    this.#finder ??= this.#load()
    const finder = await this.#finder
    const { inPool, servers } = this.#follow(finder, described)
    const tool = (key: string) => this.#tools.get(key) as Tool
    const isCallable = (key: string) => inPool.has(tool(key))
    const { keys, missing } = finder.find(query, maxResults, {
      isCallable,
      isSearched: (key) => isCallable(key) && isSearched(tool(key)),
    })
    return {
      tools: keys.map(tool),
      missing,
      nearestServers:
        keys.length > 0
          ? []
          : finder
              .nearestServers(query, servers.size)
              .filter((server) => servers.has(server))
              .slice(0, SHOWN_SERVERS),
    }
  }

  /** Tools are told apart by identity: a server that comes back with the same names brings other tools. */
  #follow(finder: ToolFinder, { pool, definitions }: DescribedPool): Followed {
    if (this.#followed?.pool === pool && this.#followed.definitions === definitions) return this.#followed
    const alive = new Set([...this.#alive(), ...pool])
    const gone = [...this.#keys].filter(([tool]) => !alive.has(tool))
    for (const [tool, key] of gone) {
      this.#keys.delete(tool)
      this.#tools.delete(key)
    }
    finder.remove(gone.map(([, key]) => key))
    const described = new Map(definitions.map((definition) => [definition.name, definition]))
    finder.add(
      pool.flatMap((tool) => {
        const definition = described.get(tool.name)
        // One that cannot be described cannot be loaded either.
        return this.#keys.has(tool) || definition === undefined ? [] : [this.#entry(tool, definition)]
      }),
    )
    const servers = new Set(pool.map(({ mcpInfo }) => mcpInfo?.serverName))
    this.#followed = { pool, definitions, inPool: new Set(pool), servers }
    return this.#followed
  }

  #entry(tool: Tool, { description, input_schema }: ToolDefinition): SearchableTool {
    const key = String(this.#count++)
    this.#keys.set(tool, key)
    this.#tools.set(key, tool)
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

/** The ranker is large, and most programs never search. */
async function loadFinder(): Promise<ToolFinder> {
  const { ToolFinder } = await import('../tool-search/tool-finder.js')
  return new ToolFinder()
}
