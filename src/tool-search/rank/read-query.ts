import type { Lexicon, Sense } from './lexicon.js'
import { lightStem } from './light-stem.js'
import type { Postings } from './postings.js'
import type { SimilarTerms } from './similar-terms.js'
import { isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'
import { isStopWord } from './stop-words.js'
import { bigrams, joinPhrases, languageOf, translate, translateRun } from './term-translation.js'
import { WEIGHTS } from './weights.js'

/** Something the query asks for. */
export interface Concept {
  readonly id: string
  /** The terms that would do, and how well. */
  readonly terms: ReadonlyMap<string, number>
  readonly weight: number
  /** How much it says that a tool has it. */
  readonly idf: number
}

/** What a query is read against: the words of languages, and the terms that tools have. */
export interface QueryWorld {
  readonly lexicon: Lexicon
  readonly postings: Postings
  readonly similar: SimilarTerms
}

const MAX_QUERY_CHARS = 4_000
const CLAUSE_END =
  /[.?!;:](?:\s|$)|[。？！；]|\n|,\s*(?:and|then|also)\s|\b(?:then|additionally|also|finally|after that|furthermore|moreover|as well as)\b/i
const LIST_MARK = /,|\band\b/i
const SHORTEST_CLAUSE = 8
/** In a text this long, each item of a list may want a tool of its own. */
const LONG_QUERY = 15
const PROPER_NAME = /(?<=[\p{Ll}\d,'"] )\p{Lu}\p{L}+/gu

/** The query as a whole, then its clauses if there are several. */
export function readQuery(query: string, world: QueryWorld): Concept[][] {
  const text = query.slice(0, MAX_QUERY_CHARS)
  const reader = new QueryReader(text, world)
  const clauses = reader.clauses()
  return clauses.length < 2 ? [reader.concepts(text)] : [text, ...clauses].map((part) => reader.concepts(part))
}

class QueryReader {
  readonly #text: string
  readonly #world: QueryWorld
  readonly #words: readonly string[]
  readonly #language: string | undefined
  readonly #properNames: ReadonlySet<string>
  /** Clauses repeat the words of the whole. */
  readonly #read = new Map<string, Concept[]>()

  constructor(text: string, world: QueryWorld) {
    this.#text = text
    this.#world = world
    this.#words = splitWords(text)
    const alphabetic = this.#words.filter((word) => !isUnspaced(word) && !/^\d/.test(word))
    this.#language = languageOf(alphabetic, world.lexicon, (term) => world.postings.has(term))
    const names = this.#language === undefined ? (text.match(PROPER_NAME) ?? []) : []
    this.#properNames = new Set(names.flatMap(splitWords))
  }

  clauses(): string[] {
    const sentences = this.#text.split(CLAUSE_END)
    const parts = this.#words.length < LONG_QUERY ? sentences : sentences.flatMap((part) => part.split(LIST_MARK))
    return parts.filter((part) => part.trim().length > SHORTEST_CLAUSE)
  }

  concepts(text: string): Concept[] {
    const words = joinPhrases(splitWords(text), this.#language, this.#world.lexicon)
    const telling = words.filter((word) => !this.#saysNothing(word))
    const used = telling.length > 0 ? telling : words
    const concepts = new Map<string, Concept>()
    for (const [at, word] of used.entries())
      for (const concept of this.#conceptsOf(word, this.#joined(used, at))) concepts.set(concept.id, concept)
    return [...concepts.values()]
  }

  #saysNothing(word: string): boolean {
    if (isUnspaced(word)) return false
    return word.length < 2 || isStopWord(word, this.#language ?? 'en')
  }

  /** Terms that are the word in one with its neighbour: `mind map` is `mindmap`. */
  #joined(words: readonly string[], at: number): string[] {
    const word = words[at] ?? ''
    const pairs = [stem(`${words[at - 1] ?? ''}${word}`), stem(`${word}${words[at + 1] ?? ''}`)]
    return pairs.filter((pair) => pair !== stem(word) && this.#world.postings.has(pair))
  }

  #conceptsOf(word: string, joined: readonly string[]): Concept[] {
    const id = [word, ...joined].join(' ')
    const before = this.#read.get(id)
    if (before !== undefined) return before
    const concepts = isUnspaced(word) ? this.#readRun(word) : this.#readWord(word, joined)
    this.#read.set(id, concepts)
    return concepts
  }

  #readWord(word: string, joined: readonly string[]): Concept[] {
    const { lexicon, postings, similar } = this.#world
    const term = stem(word)
    const written = [term, ...joined].map((each) => ({ term: each, weight: 1 }))
    const meaning = this.#language === undefined ? [] : translate(word, this.#language, lexicon)
    if (meaning.length > 0)
      return meaning.map((senses, index) => this.#concept(`${word}/${index}`, [...senses, ...written]))
    if (this.#language !== undefined) written.push({ term: lightStem(word, this.#language), weight: 1 })
    const synonyms = [...(lexicon.english.get(term) ?? [])].map((each) => ({ term: each, weight: WEIGHTS.synonym }))
    const isName = this.#properNames.has(word) || /\d/.test(word)
    const alike = isName || postings.has(term) ? [] : similar.find(term)
    return [this.#concept(term, [...written, ...synonyms, ...alike], this.#weightOf(word, term))]
  }

  #weightOf(word: string, term: string): number {
    if (/^\d+$/.test(word)) return WEIGHTS.number
    return this.#properNames.has(word) && !this.#world.postings.has(term) ? WEIGHTS.properName : 1
  }

  /** Chinese, Japanese, Korean: known words by what they mean, what stands between them by pairs of letters. */
  #readRun(run: string): Concept[] {
    const { lexicon, postings } = this.#world
    return translateRun(run, lexicon).flatMap(({ text, meaning }) => {
      const pairs = bigrams(text).map((term) => ({ term, weight: 1 }))
      if (meaning !== undefined)
        return meaning.map((senses, index) => this.#concept(`${text}/${index}`, [...senses, ...pairs]))
      const found = pairs.filter(({ term }) => postings.has(term))
      if (found.length > 0) return found.map((pair) => this.#concept(pair.term, [pair], WEIGHTS.bigram))
      return /^\p{Script=Hiragana}*$/u.test(text) ? [] : [this.#concept(text, [], WEIGHTS.unknownRun)]
    })
  }

  #concept(id: string, alternatives: readonly Sense[], weight = 1): Concept {
    const { postings } = this.#world
    const terms = new Map<string, number>()
    let frequency = 0
    for (const { term, weight: likeness } of alternatives) {
      const count = postings.frequency(term)
      if (count > 0 && likeness > (terms.get(term) ?? 0)) terms.set(term, likeness)
      frequency = Math.max(frequency, count)
    }
    // The commonest alternative sets the weight: rare synonyms of a common word must not make it a rare one.
    const idf = postings.idf(frequency)
    return { id, terms, weight, idf }
  }
}
