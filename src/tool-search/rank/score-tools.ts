import type { Postings } from './postings.js'
import type { Concept } from './read-query.js'
import { WEIGHTS } from './weights.js'

/** By slot: the score, and which part of the query the tool answers. */
export interface Scores {
  readonly scores: Float64Array
  readonly answered: Float64Array
}

/** A match in the name is a whole answer although terms saturate; one in the description is most of one. */
const WHOLE_ANSWER = 1.6

/** Scores every tool by the concepts of a query, then by the best of its clauses. */
export function scoreTools([whole = [], ...clauses]: readonly (readonly Concept[])[], postings: Postings): Scores {
  const result = scoreConcepts(whole, postings)
  if (clauses.length > 0) mixClauses(result.scores, clauses, postings)
  return result
}

function scoreConcepts(concepts: readonly Concept[], postings: Postings): Scores {
  const scores = new Float64Array(postings.slots)
  const answered = new Float64Array(postings.slots)
  const best = new Float64Array(postings.slots)
  const mass = concepts.reduce((sum, { weight, idf }) => sum + weight * idf, 0)
  for (const { terms, weight, idf } of concepts) {
    const whole = weight * idf
    const touched: number[] = []
    for (const [term, likeness] of terms)
      postings.raise(term, weight * likeness * Math.min(idf, postings.idf(postings.frequency(term))), best, touched)
    for (const slot of touched) {
      const value = best[slot] ?? 0
      scores[slot] = (scores[slot] ?? 0) + value / mass
      answered[slot] = (answered[slot] ?? 0) + Math.min(whole, value * WHOLE_ANSWER) / mass
      best[slot] = 0
    }
  }
  for (let slot = 0; slot < scores.length; slot++)
    if (scores[slot] !== 0) scores[slot] = (scores[slot] ?? 0) * (answered[slot] ?? 0) ** WEIGHTS.coverage
  return { scores, answered }
}

/** Whoever asks for several things wants the best tool for each, beside one that is fair for all. */
function mixClauses(scores: Float64Array, clauses: readonly (readonly Concept[])[], postings: Postings): void {
  const best = new Float64Array(scores.length)
  for (const clause of clauses) {
    const { scores: ofClause } = scoreConcepts(clause, postings)
    const top = maximum(ofClause)
    if (top === 0) continue
    for (let slot = 0; slot < best.length; slot++) best[slot] = Math.max(best[slot] ?? 0, (ofClause[slot] ?? 0) / top)
  }
  const top = maximum(scores)
  for (let slot = 0; slot < scores.length; slot++)
    scores[slot] = (1 - WEIGHTS.clauses) * (scores[slot] ?? 0) + WEIGHTS.clauses * top * (best[slot] ?? 0)
}

function maximum(values: Float64Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
