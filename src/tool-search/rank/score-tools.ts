import type { Postings } from './postings.js'
import type { Concept } from './read-query.js'
import { RANKING_WEIGHTS } from './weights.js'

/** Scales term values, which stay below 1, so that a match in the name counts as a full match of a concept. */
const FULL_MATCH_FACTOR = 1.6
/** Keeps logarithms of zero finite. */
const EPSILON = 0.1
/** Smaller catalogues count as this large: chance matches are equally unlikely in all of them. */
const MIN_CATALOGUE_SIZE = 100

/** The matching slots of a query and, by slot, the score and the weighted number of concepts that the tool matches. */
class Scores {
  readonly slots: number[] = []
  readonly score: Float64Array
  readonly matchedConcepts: Float64Array

  constructor(size: number) {
    this.score = new Float64Array(size)
    this.matchedConcepts = new Float64Array(size)
  }

  get topScore(): number {
    return this.slots.reduce((max, slot) => Math.max(max, this.score[slot] ?? 0), 0)
  }
}

/** Scores tools by all concepts of a query and by the best of its clauses. */
export function scoreTools([wholeQuery = [], ...clauses]: readonly (readonly Concept[])[], postings: Postings): Scores {
  const result = scoreConcepts(wholeQuery, postings)
  if (clauses.length > 0) mixClauses(result, clauses, postings)
  return result
}

function scoreConcepts(concepts: readonly Concept[], postings: Postings): Scores {
  const scores = new Scores(postings.slotCount)
  const { slots, score, matchedConcepts } = scores
  const coverage = new Float64Array(postings.slotCount)
  const bestLikeness = new Float64Array(postings.slotCount)
  const total = concepts.reduce((sum, { weight }) => sum + weight, 0)
  for (const { terms, weight, idf } of concepts) {
    const touchedSlots: number[] = []
    for (const [term, likeness] of terms)
      postings.raiseScores(
        term,
        likeness * Math.min(idf, postings.computeIdf(postings.countTools(term))),
        bestLikeness,
        touchedSlots,
      )
    for (const slot of touchedSlots) {
      const value = bestLikeness[slot] ?? 0
      const share = value / idf
      const previous = score[slot] ?? 0
      if (previous === 0) slots.push(slot)
      score[slot] = previous + weight * value
      coverage[slot] = (coverage[slot] ?? 0) + (weight * share) / total
      matchedConcepts[slot] = (matchedConcepts[slot] ?? 0) + weight * Math.min(1, share * FULL_MATCH_FACTOR)
      bestLikeness[slot] = 0
    }
  }
  // The score favours rare terms; the factor favours tools that match every concept.
  for (const slot of slots) score[slot] = (score[slot] ?? 0) * (coverage[slot] ?? 0) ** RANKING_WEIGHTS.coverage
  return scores
}

/** Mixes in the best clause score, so that a query with several requests finds the best tool for each of them. */
function mixClauses(wholeScores: Scores, clauses: readonly (readonly Concept[])[], postings: Postings): void {
  const bestClauseScores = new Float64Array(postings.slotCount)
  for (const clause of clauses) {
    const { slots, score, topScore } = scoreConcepts(clause, postings)
    for (const slot of slots)
      bestClauseScores[slot] = Math.max(bestClauseScores[slot] ?? 0, (score[slot] ?? 0) / topScore)
  }
  const { slots, score, topScore } = wholeScores
  // Clauses contain no words beyond the whole query, so `slots` covers all matches.
  for (const slot of slots)
    score[slot] =
      (1 - RANKING_WEIGHTS.clauses) * (score[slot] ?? 0) +
      RANKING_WEIGHTS.clauses * topScore * (bestClauseScores[slot] ?? 0)
}

/** The tool with the highest score, and the highest number of concepts that any tool matches. */
interface BestTool {
  readonly slot: number
  readonly matchedConcepts: number
}

/** Whether the best tool is a good match for the query, not just the best of unsuitable ones. */
export function isGoodMatch(concepts: readonly Concept[], postings: Postings, bestTool: BestTool): boolean {
  const { words, information, named, rarity, catalogueSize } = measureMatch(concepts, postings, bestTool)
  const weight = RANKING_WEIGHTS.goodMatch
  const evidence = weight.words * words + weight.information * information + weight.named * named
  return weight.bias + evidence > weight.rarity * rarity + weight.catalogueSize * catalogueSize
}

/**
 * Measures the evidence for a tool: the number of matched concepts, the information content of the matched terms, and the
 * share of the query that its name or server matches, synonyms and typos included. Evidence against it: the query uses words
 * that are rare in this catalogue, and the catalogue is so large that some tool contains any word by chance.
 */
function measureMatch(concepts: readonly Concept[], postings: Postings, { slot, matchedConcepts }: BestTool) {
  const terms = new Set(postings.termsOf(slot))
  const names = new Set(postings.nameTermsOf(slot))
  let totalInformation = 0
  let foundInformation = 0
  let namedInformation = 0
  for (const concept of concepts) {
    const information = concept.weight * concept.idf
    totalInformation += information
    foundInformation += concept.weight * sumInformation(terms, concept, postings)
    if ([...concept.terms.keys()].some((term) => names.has(term))) namedInformation += information
  }
  const maxIdf = postings.computeIdf(0)
  return {
    words: Math.log(EPSILON + matchedConcepts),
    information: Math.log(EPSILON + foundInformation / maxIdf),
    named: namedInformation / totalInformation,
    rarity: totalInformation / maxIdf / concepts.length,
    catalogueSize: Math.log(Math.max(MIN_CATALOGUE_SIZE, postings.size)),
  }
}

function sumInformation(terms: ReadonlySet<string>, { terms: conceptTerms, idf }: Concept, postings: Postings): number {
  let bestInformation = 0
  for (const [term, likeness] of conceptTerms)
    if (terms.has(term))
      bestInformation = Math.max(
        bestInformation,
        likeness * Math.min(idf, postings.computeIdf(postings.countTools(term))),
      )
  return bestInformation
}
