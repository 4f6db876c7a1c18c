import type { Lexicon } from './lexicon.js'
import { loadLexicon } from './load-lexicon.js'
import { Postings } from './postings.js'
import { type Concept, readQuery } from './read-query.js'
import type { RankedTool, SearchableTool } from './searchable-tool.js'
import { SimilarTerms } from './similar-terms.js'
import { toolTerms } from './tool-terms.js'
import { WEIGHTS } from './weights.js'

/** Tools that can be found by free text. */
export interface ToolIndex {
  readonly size: number
  add(tools: readonly SearchableTool[]): void
  remove(keys: readonly string[]): void
  /** Best first; nothing where nothing fits. `accept` narrows. */
  search(query: string, maxResults: number, accept?: (key: string) => boolean): RankedTool[]
}

interface Entry {
  readonly tool: SearchableTool
  readonly slot: number
  /** Equal scores keep the order in which tools came. */
  readonly order: number
}

export function createToolIndex({ lexicon = loadLexicon }: { lexicon?: () => Lexicon } = {}): ToolIndex {
  const postings = new Postings()
  const similar = new SimilarTerms()
  postings.onNewTerm = (term) => similar.add(term)
  postings.onLostTerm = (term) => similar.remove(term)
  const entries = new Map<string, Entry>()
  const bySlot: (Entry | undefined)[] = []
  let arrived = 0

  function remove(keys: readonly string[]): void {
    for (const key of keys) {
      const entry = entries.get(key)
      if (entry === undefined) continue
      postings.remove(entry.slot)
      bySlot[entry.slot] = undefined
      entries.delete(key)
    }
  }

  function add(tools: readonly SearchableTool[]): void {
    for (const tool of tools) {
      remove([tool.key])
      const slot = postings.add(toolTerms(tool, lexicon()))
      const entry = { tool, slot, order: arrived++ }
      entries.set(tool.key, entry)
      bySlot[slot] = entry
    }
  }

  function search(query: string, maxResults: number, accept: (key: string) => boolean = () => true): RankedTool[] {
    const [whole = [], ...clauses] = readQuery(query, { lexicon: lexicon(), postings, similar })
    const scores = new Scores(postings)
    const total = scores.of(whole)
    if (clauses.length > 0)
      mixClauses(
        total,
        clauses.map((clause) => scores.of(clause)),
      )
    const found: { entry: Entry; score: number }[] = []
    for (const [slot, score] of total.entries()) {
      const entry = bySlot[slot]
      if (score > WEIGHTS.cutoff && entry !== undefined && accept(entry.tool.key)) found.push({ entry, score })
    }
    return found
      .sort((a, b) => b.score - a.score || a.entry.order - b.entry.order)
      .slice(0, maxResults)
      .map(({ entry, score }) => ({ key: entry.tool.key, score }))
  }

  return {
    get size() {
      return entries.size
    },
    ...{ add, remove, search },
  }
}

/** A tool that is best for a part of the query counts beside one that is fair for the whole. */
function mixClauses(total: Float64Array, clauses: readonly Float64Array[]): void {
  const most = Math.max(maximum(total), Number.MIN_VALUE)
  const tops = clauses.map((clause) => Math.max(maximum(clause), Number.MIN_VALUE))
  for (let slot = 0; slot < total.length; slot++) {
    let best = 0
    for (const [index, clause] of clauses.entries()) best = Math.max(best, (clause[slot] ?? 0) / (tops[index] ?? 1))
    total[slot] = (1 - WEIGHTS.clauses) * (total[slot] ?? 0) + WEIGHTS.clauses * best * most
  }
}

function maximum(values: Float64Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}

class Scores {
  readonly #postings: Postings
  constructor(postings: Postings) {
    this.#postings = postings
  }

  /** For each slot the part of the query that the tool answers, between 0 and 1. */
  of(concepts: readonly Concept[]): Float64Array {
    const sums = new Float64Array(this.#postings.slots)
    const covered = new Float64Array(this.#postings.slots)
    const best = new Float64Array(this.#postings.slots)
    let mass = 0
    for (const { terms, weight, idf } of concepts) {
      const touched: number[] = []
      mass += weight * idf
      for (const [term, likeness] of terms)
        this.#postings.raise(term, weight * likeness * Math.min(idf, this.#postings.idf(term)), best, touched)
      for (const slot of touched) {
        sums[slot] = (sums[slot] ?? 0) + (best[slot] ?? 0)
        covered[slot] = (covered[slot] ?? 0) + Math.min(1, (best[slot] ?? 0) / (weight * idf || 1))
        best[slot] = 0
      }
    }
    for (let slot = 0; slot < sums.length; slot++)
      if (sums[slot])
        sums[slot] = ((sums[slot] ?? 0) / mass) * ((covered[slot] ?? 0) / concepts.length) ** WEIGHTS.coverage
    return sums
  }
}
