import { Postings } from './postings.js'
import { readQuery } from './read-query.js'
import { isGoodMatch, scoreTools } from './score-tools.js'
import type { RankedTool, SearchableTool } from './searchable-tool.js'
import { SimilarTerms } from './similar-terms.js'
import { collectToolTerms } from './tool-terms.js'
import type { Lexicon } from './words/lexicon.js'

/** A full-text index of tools, searched in English and other languages. */
export interface ToolIndex {
  readonly size: number
  /** Adds tools. A tool whose key is already present is replaced and moves to the end. */
  add(tools: readonly SearchableTool[]): void
  remove(keys: readonly string[]): void
  /**
   * Returns the best matches first, ties in insertion order, and nothing if no tool is a good match.
   * `accept` restricts the search to some keys.
   */
  search(query: string, maxResults: number, accept?: (key: string) => boolean): RankedTool[]
  /** Returns the servers with the best matching tools, even if none of them is a good match. */
  findNearestServers(query: string, maxResults: number): string[]
}

interface IndexEntry {
  readonly key: string
  readonly server: string | undefined
  readonly slot: number
  readonly order: number
}

interface ToolMatch {
  readonly entry: IndexEntry
  readonly score: number
}

/** Above this many results, sorting all matches is cheaper than inserting into a short list. */
const MAX_INSERTED_RESULTS = 50

export function createToolIndex(lexicon: Lexicon): ToolIndex {
  const similarTerms = new SimilarTerms()
  const postings = new Postings({
    onTermAdded: (term) => similarTerms.add(term),
    onTermRemoved: (term) => similarTerms.remove(term),
  })
  const entries = new Map<string, IndexEntry>()
  const entryBySlot: (IndexEntry | undefined)[] = []
  let nextOrder = 0

  function add(tools: readonly SearchableTool[]): void {
    for (const tool of tools) {
      remove([tool.key])
      const slot = postings.add(collectToolTerms(tool, lexicon))
      const entry = { key: tool.key, server: tool.server, slot, order: nextOrder++ }
      entries.set(tool.key, entry)
      entryBySlot[slot] = entry
    }
  }

  function remove(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = entries.get(key)
      if (entry === undefined) continue
      postings.remove(entry.slot)
      entryBySlot[entry.slot] = undefined
      entries.delete(key)
    }
  }

  function find(
    query: string,
    accept: (entry: IndexEntry) => boolean,
  ): { matches: ToolMatch[]; isBestGood: () => boolean } {
    const concepts = readQuery(query, { lexicon, postings, similarTerms })
    const { slots, score, matchedConcepts } = scoreTools(concepts, postings)
    const matches: ToolMatch[] = []
    let maxMatchedConcepts = 0
    for (const slot of slots) {
      const entry = entryBySlot[slot]
      if (entry === undefined || !accept(entry)) continue
      maxMatchedConcepts = Math.max(maxMatchedConcepts, matchedConcepts[slot] ?? 0)
      matches.push({ entry, score: score[slot] ?? 0 })
    }
    const isBestGood = () =>
      selectBest(matches, 1).some(({ entry }) =>
        isGoodMatch(concepts[0] ?? [], postings, { slot: entry.slot, matchedConcepts: maxMatchedConcepts }),
      )
    return { matches, isBestGood }
  }

  return {
    get size() {
      return entries.size
    },
    add,
    remove,
    search(query, maxResults, accept = () => true) {
      const { matches, isBestGood } = find(query, ({ key }) => accept(key))
      if (!isBestGood()) return []
      return selectBest(matches, maxResults).map(({ entry, score }) => ({ key: entry.key, score }))
    },
    findNearestServers(query, maxResults) {
      const bestByServer = new Map<string, ToolMatch>()
      for (const match of find(query, ({ server }) => server !== undefined).matches) {
        const bestMatch = bestByServer.get(match.entry.server ?? '')
        if (bestMatch === undefined || compareMatches(match, bestMatch) < 0)
          bestByServer.set(match.entry.server ?? '', match)
      }
      return selectBest([...bestByServer.values()], maxResults).map(({ entry }) => entry.server ?? '')
    },
  }
}

function compareMatches(a: ToolMatch, b: ToolMatch): number {
  return b.score - a.score || a.entry.order - b.entry.order
}

/** Returns the best `count` matches in order, without sorting thousands of them. */
function selectBest(matches: readonly ToolMatch[], count: number): ToolMatch[] {
  const limit = Math.max(0, Math.floor(count))
  if (limit > MAX_INSERTED_RESULTS) return [...matches].sort(compareMatches).slice(0, limit)
  const bestMatches: ToolMatch[] = []
  for (const match of matches) {
    const lastMatch = bestMatches[limit - 1]
    if (limit === 0 || (lastMatch !== undefined && compareMatches(match, lastMatch) > 0)) continue
    const at = bestMatches.findIndex((other) => compareMatches(match, other) < 0)
    bestMatches.splice(at < 0 ? bestMatches.length : at, 0, match)
    if (bestMatches.length > limit) bestMatches.pop()
  }
  return bestMatches
}
