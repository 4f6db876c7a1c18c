import type { Postings } from './postings.js'
import type { Concept } from './read-query.js'
import { WEIGHTS } from './weights.js'

/** Keeps the logarithm of nothing finite. */
const LITTLE = 0.1

/** The best tool by score, and how many words of the query the tool answers that answers the most. */
export interface BestTool {
  readonly slot: number
  readonly answered: number
}

/** Is the best tool an answer, or only the least bad one? */
export function fits(concepts: readonly Concept[], postings: Postings, best: BestTool): boolean {
  const { words, information, name, rarity, crowd } = fitTraits(concepts, postings, best)
  const weight = WEIGHTS.fits
  const speaksFor = weight.words * words + weight.information * information + weight.name * name
  return weight.bias + speaksFor > weight.rarity * rarity + weight.crowd * crowd
}

/**
 * What speaks for a tool: how many words are answered, how much of the query's information it has, how much of its
 * name was asked for. What speaks against it: that the words are rare here, and that there are many tools, some of
 * which have any word by chance.
 */
export function fitTraits(concepts: readonly Concept[], postings: Postings, { slot, answered }: BestTool) {
  const terms = new Set(postings.termsOf(slot))
  const most = postings.idf(0)
  const asked = new Map<string, number>()
  let information = 0
  let rarity = 0
  for (const { terms: wanted, weight, idf } of concepts) {
    let best = 0
    for (const [term, likeness] of wanted) {
      if (!terms.has(term)) continue
      asked.set(term, Math.max(likeness, asked.get(term) ?? 0))
      best = Math.max(best, likeness * Math.min(idf, postings.idf(postings.frequency(term))))
    }
    information += (weight * best) / most
    rarity += (weight * idf) / most / concepts.length
  }
  return {
    words: Math.log(LITTLE + answered),
    information: Math.log(LITTLE + information),
    name: shareOfName(asked, postings, slot),
    rarity,
    crowd: Math.log(postings.size),
  }
}

/** How much of a tool's name the query has asked for; rare words count more. */
function shareOfName(asked: ReadonlyMap<string, number>, postings: Postings, slot: number): number {
  let all = 0
  let found = 0
  for (const term of postings.nameTermsOf(slot)) {
    const idf = postings.idf(postings.frequency(term))
    all += idf
    found += idf * (asked.get(term) ?? 0)
  }
  return all === 0 ? 0 : found / all
}
