import type { Postings } from './postings.js'
import type { Concept } from './read-query.js'
import { WEIGHTS } from './weights.js'

/** Keeps the logarithm of nothing finite. */
const LITTLE = 0.1
/** Fewer tools than this do not make chance any rarer. */
const FEW_TOOLS = 100

/** The best tool by score, and how many words of the query the tool answers that answers the most. */
interface BestTool {
  readonly slot: number
  readonly answered: number
}

/** Is the best tool an answer, or only the least bad one? */
export function fits(concepts: readonly Concept[], postings: Postings, best: BestTool): boolean {
  const { words, information, named, rarity, crowd } = fitTraits(concepts, postings, best)
  const weight = WEIGHTS.fits
  const speaksFor = weight.words * words + weight.information * information + weight.named * named
  return weight.bias + speaksFor > weight.rarity * rarity + weight.crowd * crowd
}

/**
 * What speaks for a tool: how many words are answered, how much information it has of them, and which part of the
 * query its name or server speaks of, be it by a synonym or with a slip of the pen. What speaks against it: that the
 * words of the query are rare here, and that there are many tools, some of which have any word by chance.
 */
function fitTraits(concepts: readonly Concept[], postings: Postings, { slot, answered }: BestTool) {
  const terms = new Set(postings.termsOf(slot))
  const names = new Set(postings.nameTermsOf(slot))
  let all = 0
  let found = 0
  let named = 0
  for (const concept of concepts) {
    const information = concept.weight * concept.idf
    all += information
    found += concept.weight * informationIn(terms, concept, postings)
    if ([...concept.terms.keys()].some((term) => names.has(term))) named += information
  }
  const most = postings.idf(0)
  return {
    words: Math.log(LITTLE + answered),
    information: Math.log(LITTLE + found / most),
    named: named / all,
    rarity: all / most / concepts.length,
    crowd: Math.log(Math.max(FEW_TOOLS, postings.size)),
  }
}

function informationIn(terms: ReadonlySet<string>, { terms: wanted, idf }: Concept, postings: Postings): number {
  let best = 0
  for (const [term, likeness] of wanted)
    if (terms.has(term)) best = Math.max(best, likeness * Math.min(idf, postings.idf(postings.frequency(term))))
  return best
}
