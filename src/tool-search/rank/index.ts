/** A tool as the ranker sees it. Keys are unique, names need not be. */
export interface SearchableTool {
  readonly key: string
  readonly name: string
  readonly description: string
  readonly server?: string
  readonly isMcp?: boolean
  readonly searchHint?: string
  readonly inputSchema?: unknown
  readonly aliases?: readonly string[]
}

interface RankedTool {
  readonly key: string
  readonly score: number
}

/** Ranks tools by words. */
export interface ToolIndex {
  readonly size: number
  add(tools: readonly SearchableTool[]): void
  remove(keys: readonly string[]): void
  search(query: string, maxResults: number, accept?: (key: string) => boolean): RankedTool[]
  nearestServers(query: string, limit: number): string[]
}

export function createToolIndex(): ToolIndex {
  const tools = new Map<string, SearchableTool>()
  const serverScore = (words: readonly string[], server: string) =>
    words.filter((word) => partsOf(server).some((part) => part.startsWith(word) || word.startsWith(part))).length
  return {
    get size() {
      return tools.size
    },
    add(added) {
      for (const tool of added) tools.set(tool.key, tool)
    },
    remove(keys) {
      for (const key of keys) tools.delete(key)
    },
    search(query, maxResults, accept = () => true) {
      const words = wordsOf(query)
      return [...tools.values()]
        .flatMap((tool) => (accept(tool.key) ? [{ key: tool.key, score: baseScore(tool, words) }] : []))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, maxResults)
    },
    nearestServers(query, limit) {
      const words = wordsOf(query)
      const servers = [...new Set([...tools.values()].flatMap(({ server }) => server ?? []))]
      return servers
        .map((server) => ({ server, score: serverScore(words, server) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, limit)
        .map(({ server }) => server)
    },
  }
}

function baseScore({ name, description, searchHint = '', isMcp }: SearchableTool, words: readonly string[]): number {
  const parts = partsOf(name)
  let score = 0
  for (const word of words) {
    if (parts.includes(word)) score += isMcp ? 12 : 10
    else if (parts.some((part) => part.includes(word))) score += isMcp ? 6 : 5
    if (searchHint.toLowerCase().includes(word)) score += 4
    if (description.toLowerCase().includes(word)) score += 2
  }
  return score
}

function wordsOf(query: string): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean)
}

function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter(Boolean)
}
