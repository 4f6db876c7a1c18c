import type { Lexicon, Sense } from './lexicon.js'
import type { Postings } from './postings.js'
import type { SimilarTerms } from './similar-terms.js'
import { isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'
import { STOP_WORDS } from './stop-words.js'
import { bigrams, languageOf, translate, translateRun } from './term-translation.js'
import { WEIGHTS } from './weights.js'

/** Something the query asks for: the terms that would do, and how well. */
export interface Concept {
  readonly id: string
  readonly terms: ReadonlyMap<string, number>
  readonly weight: number
  /** What it says that a tool has it. */
  readonly idf: number
}

export interface QueryWorld {
  readonly lexicon: Lexicon
  readonly postings: Postings
  readonly similar: SimilarTerms
}

const MAX_QUERY_CHARS = 4_000
const CLAUSE_END =
  /[.?!;:。？！；]\s*|\n|,\s*(?:and|then|also)\s|\b(?:then|additionally|also|finally|after that|furthermore|moreover|as well as)\b/i
const SHORTEST_CLAUSE = 8

/** The query as a whole, then its clauses if there are several. */
export function readQuery(query: string, world: QueryWorld): Concept[][] {
  const text = query.slice(0, MAX_QUERY_CHARS)
  const parts = text.split(CLAUSE_END).filter((part) => part.trim().length > SHORTEST_CLAUSE)
  const reader = new Reader(splitWords(text), world)
  const whole = reader.concepts(text)
  return parts.length < 2 ? [whole] : [whole, ...parts.map((part) => reader.concepts(part))]
}

class Reader {
  readonly #world: QueryWorld
  readonly #language: string | undefined
  readonly #known = new Map<string, Concept[]>()

  constructor(words: readonly string[], world: QueryWorld) {
    this.#world = world
    const alphabetic = words.filter((word) => !isUnspaced(word) && !/^\d/.test(word))
    this.#language = languageOf(alphabetic, world.lexicon, (term) => world.postings.has(term))
  }

  concepts(text: string): Concept[] {
    const words = splitWords(text)
    const telling = words.filter((word) => !this.#saysNothing(word))
    const concepts = new Map<string, Concept>()
    const used = telling.length > 0 ? telling : words
    for (const [at, word] of used.entries()) {
      const joined = this.#joined(used, at)
      const id = `${word} ${joined.join(' ')}`
      let read = this.#known.get(id)
      if (read === undefined) {
        read = isUnspaced(word) ? this.#readRun(word) : this.#readWord(word, joined)
        this.#known.set(id, read)
      }
      for (const concept of read) if (!concepts.has(concept.id)) concepts.set(concept.id, concept)
    }
    return [...concepts.values()]
  }

  /** Terms that are the word in one with its neighbour: `mind map` is `mindmap`. */
  #joined(words: readonly string[], at: number): string[] {
    const pairs = [`${words[at - 1] ?? ''}${words[at]}`, `${words[at]}${words[at + 1] ?? ''}`].map(stem)
    return pairs.filter((pair) => pair !== stem(words[at] ?? '') && this.#world.postings.has(pair))
  }

  #saysNothing(word: string): boolean {
    if (this.#language === undefined) return word.length < 2 && !isUnspaced(word) ? true : isStop(word, 'en')
    return isStop(word, this.#language)
  }

  #readWord(word: string, joined: readonly string[]): Concept[] {
    const { lexicon, postings, similar } = this.#world
    const term = stem(word)
    const meanings = this.#language === undefined ? [] : translate(word, this.#language, lexicon)
    if (meanings.length > 0) {
      return meanings.map((senses, index) => this.#concept(`${word}/${index}`, [...senses, { term, weight: 1 }]))
    }
    const alternatives: Sense[] = [term, ...joined].map((each) => ({ term: each, weight: 1 }))
    for (const other of lexicon.english.get(term) ?? []) alternatives.push({ term: other, weight: WEIGHTS.synonym })
    if (!postings.has(term))
      for (const [other, weight] of similar.find(term)) alternatives.push({ term: other, weight })
    return [this.#concept(term, alternatives, /^\d+$/.test(word) ? WEIGHTS.number : 1)]
  }

  #readRun(run: string): Concept[] {
    const concepts: Concept[] = []
    for (const { text, meaning } of translateRun(run, this.#world.lexicon)) {
      const pairs = bigrams(text).map((term) => ({ term, weight: 1 }))
      if (meaning !== undefined)
        concepts.push(...meaning.map((senses, index) => this.#concept(`${text}/${index}`, [...senses, ...pairs])))
      else
        for (const pair of pairs)
          if (this.#world.postings.has(pair.term)) concepts.push(this.#concept(pair.term, [pair], WEIGHTS.bigram))
    }
    return concepts.length > 0 ? concepts : [this.#concept(run, [])]
  }

  #concept(id: string, alternatives: readonly Sense[], weight = 1): Concept {
    const { postings } = this.#world
    const terms = new Map<string, number>()
    for (const sense of alternatives)
      if (postings.has(sense.term) && (terms.get(sense.term) ?? 0) < sense.weight) terms.set(sense.term, sense.weight)
    let frequency = 0
    const own = alternatives[0]?.term ?? ''
    if (WEIGHTS.idfMode === 1) frequency = postings.frequency(own)
    if (WEIGHTS.idfMode === 2) for (const t of terms.keys()) frequency = Math.max(frequency, postings.frequency(t))
    if (WEIGHTS.idfMode === 3) for (const [t, w] of terms) frequency += w * w * postings.frequency(t)
    if (frequency === 0) for (const t of terms.keys()) frequency = Math.max(frequency, postings.frequency(t))
    const idf =
      terms.size === 0 ? WEIGHTS.unknown * postings.idfOf(0) : postings.idfOf(Math.min(frequency, postings.size))
    return { id, terms, weight, idf }
  }
}

function isStop(word: string, language: string): boolean {
  return STOP_WORDS[language]?.has(word) === true
}
