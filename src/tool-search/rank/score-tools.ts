import type { Postings } from './postings.js'
import type { Concept } from './read-query.js'
import { WEIGHTS } from './weights.js'

/** A match in the name is a whole answer although terms saturate; one in the description is most of one. */
const WHOLE_ANSWER = 1.6

/** What a query has found: the slots of tools, and by slot the score and how many of the concepts it answers. */
export class Scores {
  readonly slots: number[] = []
  readonly score: Float64Array
  readonly answered: Float64Array

  constructor(size: number) {
    this.score = new Float64Array(size)
    this.answered = new Float64Array(size)
  }

  get top(): number {
    return this.slots.reduce((most, slot) => Math.max(most, this.score[slot] ?? 0), 0)
  }
}

/** Scores tools by the concepts of a query, then by the best of its clauses. */
export function scoreTools([whole = [], ...clauses]: readonly (readonly Concept[])[], postings: Postings): Scores {
  const result = scoreConcepts(whole, postings)
  if (clauses.length > 0) mixClauses(result, clauses, postings)
  return result
}

function scoreConcepts(concepts: readonly Concept[], postings: Postings): Scores {
  const scores = new Scores(postings.slots)
  const { slots, score, answered } = scores
  const covered = new Float64Array(postings.slots)
  const best = new Float64Array(postings.slots)
  const total = concepts.reduce((sum, { weight }) => sum + weight, 0)
  for (const { terms, weight, idf } of concepts) {
    const touched: number[] = []
    for (const [term, likeness] of terms)
      postings.raise(term, likeness * Math.min(idf, postings.idf(postings.frequency(term))), best, touched)
    for (const slot of touched) {
      const value = best[slot] ?? 0
      const part = value / idf
      const before = score[slot] ?? 0
      if (before === 0) slots.push(slot)
      score[slot] = before + weight * value
      covered[slot] = (covered[slot] ?? 0) + (weight * part) / total
      answered[slot] = (answered[slot] ?? 0) + weight * Math.min(1, part * WHOLE_ANSWER)
      best[slot] = 0
    }
  }
  // Words count by how rare they are; that all of them are answered counts once more.
  for (const slot of slots) score[slot] = (score[slot] ?? 0) * (covered[slot] ?? 0) ** WEIGHTS.coverage
  return scores
}

/** Whoever asks for several things wants the best tool for each, beside one that is fair for all. */
function mixClauses(whole: Scores, clauses: readonly (readonly Concept[])[], postings: Postings): void {
  const best = new Float64Array(postings.slots)
  for (const clause of clauses) {
    const { slots, score, top } = scoreConcepts(clause, postings)
    for (const slot of slots) best[slot] = Math.max(best[slot] ?? 0, (score[slot] ?? 0) / top)
  }
  const { slots, score, top } = whole
  // No clause has a word that the whole has not.
  for (const slot of slots)
    score[slot] = (1 - WEIGHTS.clauses) * (score[slot] ?? 0) + WEIGHTS.clauses * top * (best[slot] ?? 0)
}
