import type { Sense } from './lexicon.js'
import { WEIGHTS } from './weights.js'

const SHORTEST = 4
const MOST = 5
const LEAST_ALIKE = 0.55

/** Finds terms that begin like a word or share most of its trigrams: for words that no tool has. */
export class SimilarTerms {
  readonly #byTrigram = new Map<string, Set<string>>()

  add(term: string): void {
    for (const gram of trigrams(term)) {
      const terms = this.#byTrigram.get(gram)
      if (terms === undefined) this.#byTrigram.set(gram, new Set([term]))
      else terms.add(term)
    }
  }

  remove(term: string): void {
    for (const gram of trigrams(term)) {
      const terms = this.#byTrigram.get(gram)
      terms?.delete(term)
      if (terms?.size === 0) this.#byTrigram.delete(gram)
    }
  }

  /** The most similar terms, each with its weight. */
  find(word: string): Sense[] {
    if (word.length < SHORTEST) return []
    const shared = new Map<string, number>()
    const grams = trigrams(word)
    for (const gram of grams)
      for (const term of this.#byTrigram.get(gram) ?? []) shared.set(term, (shared.get(term) ?? 0) + 1)
    const found: Sense[] = []
    for (const [term, count] of shared) {
      const weight = likeness(word, term, (2 * count) / (grams.size + term.length))
      if (weight > 0) found.push({ term, weight })
    }
    return found.sort((a, b) => b.weight - a.weight || (a.term < b.term ? -1 : 1)).slice(0, MOST)
  }
}

function likeness(word: string, term: string, dice: number): number {
  const isPrefix = term.startsWith(word) || (term.length >= SHORTEST && word.startsWith(term))
  if (isPrefix) {
    const [short, long] = term.length < word.length ? [term, word] : [word, term]
    return (WEIGHTS.prefix * (0.3 + short.length / long.length)) / 1.3
  }
  return dice > LEAST_ALIKE ? WEIGHTS.similar * dice : 0
}

function trigrams(term: string): Set<string> {
  const grams = new Set<string>()
  if (term.length < 3) return grams
  const framed = `^${term}$`
  for (let start = 0; start + 3 <= framed.length; start++) grams.add(framed.slice(start, start + 3))
  return grams
}
