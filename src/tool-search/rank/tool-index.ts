import { fits } from './fits.js'
import type { Lexicon } from './lexicon.js'
import { loadLexicon } from './load-lexicon.js'
import { Postings } from './postings.js'
import { readQuery } from './read-query.js'
import { scoreTools } from './score-tools.js'
import type { RankedTool, SearchableTool } from './searchable-tool.js'
import { SimilarTerms } from './similar-terms.js'
import { toolTerms } from './tool-terms.js'

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

interface Found {
  readonly entry: Entry
  readonly score: number
}

const MANY_RESULTS = 50

export function createToolIndex({ lexicon = loadLexicon }: { lexicon?: () => Lexicon } = {}): ToolIndex {
  const similar = new SimilarTerms()
  const postings = new Postings({ onNew: (term) => similar.add(term), onLost: (term) => similar.remove(term) })
  const entries = new Map<string, Entry>()
  const bySlot: (Entry | undefined)[] = []
  let arrived = 0

  function add(tools: readonly SearchableTool[]): void {
    for (const tool of tools) {
      remove([tool.key])
      const slot = postings.add(toolTerms(tool, lexicon()))
      const entry = { key: tool.key, server: tool.server, slot, order: arrived++ }
      entries.set(tool.key, entry)
      bySlot[slot] = entry
    }
  }

  function remove(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = entries.get(key)
      if (entry === undefined) continue
      postings.remove(entry.slot)
      bySlot[entry.slot] = undefined
      entries.delete(key)
    }
  }

  /** What the query has found among the accepted tools, and whether the best of it fits. */
  function find(query: string, accept: (entry: Entry) => boolean): { found: Found[]; isFit: () => boolean } {
    const concepts = readQuery(query, { lexicon: lexicon(), postings, similar })
    const { slots, score, answered } = scoreTools(concepts, postings)
    const found: Found[] = []
    let most = 0
    for (const slot of slots) {
      const entry = bySlot[slot]
      if (entry === undefined || !accept(entry)) continue
      most = Math.max(most, answered[slot] ?? 0)
      found.push({ entry, score: score[slot] ?? 0 })
    }
    const isFit = () =>
      best(found, 1).some(({ entry }) => fits(concepts[0] ?? [], postings, { slot: entry.slot, answered: most }))
    return { found, isFit }
  }

  return {
    get size() {
      return entries.size
    },
    add,
    remove,
    search(query, maxResults, accept = () => true) {
      const { found, isFit } = find(query, ({ key }) => accept(key))
      if (!isFit()) return []
      return best(found, maxResults).map(({ entry, score }) => ({ key: entry.key, score }))
    },
    nearestServers(query, maxResults) {
      const tops = new Map<string, Found>()
      for (const found of find(query, ({ server }) => server !== undefined).found) {
        const top = tops.get(found.entry.server ?? '')
        if (top === undefined || compare(found, top) < 0) tops.set(found.entry.server ?? '', found)
      }
      return best([...tops.values()], maxResults).map(({ entry }) => entry.server ?? '')
    },
  }
}

function compare(a: Found, b: Found): number {
  return b.score - a.score || a.entry.order - b.entry.order
}

/** The first few in order, without sorting thousands. */
function best(found: readonly Found[], count: number): Found[] {
  const wanted = Math.max(0, Math.floor(count))
  if (wanted > MANY_RESULTS) return [...found].sort(compare).slice(0, wanted)
  const first: Found[] = []
  for (const each of found) {
    const last = first[wanted - 1]
    if (wanted === 0 || (last !== undefined && compare(each, last) > 0)) continue
    const at = first.findIndex((other) => compare(each, other) < 0)
    first.splice(at < 0 ? first.length : at, 0, each)
    if (first.length > wanted) first.pop()
  }
  return first
}
