import type { Lexicon } from './lexicon.js'
import { loadLexicon } from './load-lexicon.js'
import { Postings } from './postings.js'
import { readQuery } from './read-query.js'
import { scoreTools } from './score-tools.js'
import type { RankedTool, SearchableTool } from './searchable-tool.js'
import { SimilarTerms } from './similar-terms.js'
import { toolTerms } from './tool-terms.js'
import { WEIGHTS } from './weights.js'

/** Tools that can be found by free text, in English and other languages. */
export interface ToolIndex {
  readonly size: number
  /** A tool whose key is known already takes its place anew, as the latest. */
  add(tools: readonly SearchableTool[]): void
  remove(keys: readonly string[]): void
  /** Best first, equal ones in the order they came; nothing where nothing fits. `accept` narrows. */
  search(query: string, maxResults: number, accept?: (key: string) => boolean): RankedTool[]
  /** The servers whose tools come nearest to a query, however far. */
  nearestServers(query: string, maxResults: number): string[]
}

interface Entry {
  readonly key: string
  readonly server: string | undefined
  readonly slot: number
  readonly order: number
}

export function createToolIndex({ lexicon = loadLexicon }: { lexicon?: () => Lexicon } = {}): ToolIndex {
  const similar = new SimilarTerms()
  const postings = new Postings({ onNew: (term) => similar.add(term), onLost: (term) => similar.remove(term) })
  const entries = new Map<string, Entry>()
  let arrived = 0

  function add(tools: readonly SearchableTool[]): void {
    for (const tool of tools) {
      remove([tool.key])
      const slot = postings.add(toolTerms(tool, lexicon()))
      entries.set(tool.key, { key: tool.key, server: tool.server, slot, order: arrived++ })
    }
  }

  function remove(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = entries.get(key)
      if (entry === undefined) continue
      postings.remove(entry.slot)
      entries.delete(key)
    }
  }

  function rank(query: string, needed: (words: number) => number, accept: (entry: Entry) => boolean) {
    const concepts = readQuery(query, { lexicon: lexicon(), postings, similar })
    const { scores, answered } = scoreTools(concepts, postings)
    const least = needed(concepts[0]?.length ?? 0)
    const found: { entry: Entry; score: number }[] = []
    let most = 0
    for (const entry of entries.values()) {
      const score = scores[entry.slot] ?? 0
      if (score === 0 || !accept(entry)) continue
      most = Math.max(most, answered[entry.slot] ?? 0)
      found.push({ entry, score })
    }
    return most < least ? [] : found.sort((a, b) => b.score - a.score || a.entry.order - b.entry.order)
  }

  return {
    get size() {
      return entries.size
    },
    add,
    remove,
    search(query, maxResults, accept = () => true) {
      const ranked = rank(query, partThatFits, ({ key }) => accept(key))
      return ranked.slice(0, Math.max(0, maxResults)).map(({ entry, score }) => ({ key: entry.key, score }))
    },
    nearestServers(query, maxResults) {
      const servers = rank(
        query,
        () => 0,
        ({ server }) => server !== undefined,
      ).map(({ entry }) => entry.server ?? '')
      return [...new Set(servers)].slice(0, Math.max(0, maxResults))
    },
  }
}

/** Which part of a query the best tool must answer: whoever says more says more that is beside the point. */
function partThatFits(words: number): number {
  return WEIGHTS.fits / Math.max(1, words) ** WEIGHTS.fitsPower
}
