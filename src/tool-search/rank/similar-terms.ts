import { RANKING_WEIGHTS } from './weights.js'
import type { Sense } from './words/lexicon.js'

const MIN_WORD_LENGTH = 4
const MAX_SIMILAR_TERMS = 5
const MIN_DICE_COEFFICIENT = 0.55

/**
 * Finds substitutes for words that no tool contains: terms that start with the word, terms that the word starts with, and
 * terms that share most trigrams with it.
 */
export class SimilarTerms {
  readonly #termsByTrigram = new Map<string, Set<string>>()

  add(term: string): void {
    for (const gram of trigramsOf(term)) {
      const terms = this.#termsByTrigram.get(gram)
      if (terms === undefined) this.#termsByTrigram.set(gram, new Set([term]))
      else terms.add(term)
    }
  }

  remove(term: string): void {
    for (const gram of trigramsOf(term)) {
      const terms = this.#termsByTrigram.get(gram)
      terms?.delete(term)
      if (terms?.size === 0) this.#termsByTrigram.delete(gram)
    }
  }

  /** Returns the most similar terms with their weights. */
  find(word: string): Sense[] {
    if (word.length < MIN_WORD_LENGTH) return []
    const sharedCounts = new Map<string, number>()
    const grams = trigramsOf(word)
    for (const gram of grams)
      for (const term of this.#termsByTrigram.get(gram) ?? []) sharedCounts.set(term, (sharedCounts.get(term) ?? 0) + 1)
    const foundSenses: Sense[] = []
    for (const [term, count] of sharedCounts) {
      const weight = likenessOf(word, term, (2 * count) / (grams.size + term.length))
      if (weight > 0) foundSenses.push({ term, weight })
    }
    return foundSenses.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MAX_SIMILAR_TERMS)
  }
}

function likenessOf(word: string, term: string, diceCoefficient: number): number {
  const isPrefix = term.startsWith(word) || (term.length >= MIN_WORD_LENGTH && word.startsWith(term))
  if (isPrefix) {
    const [shorterTerm, longerTerm] = term.length < word.length ? [term, word] : [word, term]
    return (RANKING_WEIGHTS.prefix * (0.3 + shorterTerm.length / longerTerm.length)) / 1.3
  }
  return diceCoefficient > MIN_DICE_COEFFICIENT ? RANKING_WEIGHTS.similar * diceCoefficient : 0
}

function trigramsOf(term: string): Set<string> {
  const grams = new Set<string>()
  if (term.length < 3) return grams
  const framedTerm = `^${term}$`
  for (let start = 0; start + 3 <= framedTerm.length; start++) grams.add(framedTerm.slice(start, start + 3))
  return grams
}
