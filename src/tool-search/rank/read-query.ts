import type { Postings } from './postings.js'
import type { SimilarTerms } from './similar-terms.js'
import { RANKING_WEIGHTS } from './weights.js'
import type { Lexicon, Sense } from './words/lexicon.js'
import { isUnspaced, splitWords } from './words/split-words.js'
import { stem, stemLightly } from './words/stemming.js'
import { isStopWord } from './words/stop-words.js'
import { bigramsOf, detectLanguage, joinPhrases, translate, translateRun } from './words/translation.js'

/** A word of the query with its synonyms, translations and similar terms. */
export interface Concept {
  readonly id: string
  /** Terms that match the concept, and how well. */
  readonly terms: ReadonlyMap<string, number>
  readonly weight: number
  /** Inverse document frequency: how specific the concept is. */
  readonly idf: number
}

/** The data that turns the words of a query into terms of the index. */
export interface QueryContext {
  readonly lexicon: Lexicon
  readonly postings: Postings
  readonly similarTerms: SimilarTerms
}

const MAX_QUERY_CHARS = 4_000
const CLAUSE_END =
  /[.?!;:](?:\s|$)|[。？！；]|\n|,\s*(?:and|then|also)\s|\b(?:then|additionally|also|finally|after that|furthermore|moreover|as well as)\b/i
const LIST_SEPARATOR = /,|\band\b/i
const MIN_CLAUSE_CHARS = 8
/** In a query with at least this many words, each item of a list may need its own tool. */
const MIN_LONG_QUERY_WORDS = 15
const PROPER_NAME = /(?<=[\p{Ll}\d,'"] )\p{Lu}\p{L}+/gu

/** Returns the concepts of the whole query, then those of each clause if there are several. */
export function readQuery(query: string, context: QueryContext): Concept[][] {
  const text = query.slice(0, MAX_QUERY_CHARS)
  const reader = new QueryReader(text, context)
  const clauses = reader.splitClauses()
  return clauses.length < 2
    ? [reader.readConcepts(text)]
    : [text, ...clauses].map((clause) => reader.readConcepts(clause))
}

class QueryReader {
  readonly #text: string
  readonly #context: QueryContext
  readonly #words: readonly string[]
  readonly #language: string | undefined
  readonly #properNames: ReadonlySet<string>
  /** Concepts by word, cached because clauses repeat the words of the whole query. */
  readonly #conceptCache = new Map<string, Concept[]>()

  constructor(text: string, context: QueryContext) {
    this.#text = text
    this.#context = context
    this.#words = splitWords(text)
    const alphabeticWords = this.#words.filter((word) => !isUnspaced(word) && !/^\d/.test(word))
    this.#language = detectLanguage(alphabeticWords, context.lexicon, (term) => context.postings.has(term))
    const names = this.#language === undefined ? (text.match(PROPER_NAME) ?? []) : []
    this.#properNames = new Set(names.flatMap(splitWords))
  }

  splitClauses(): string[] {
    const sentences = this.#text.split(CLAUSE_END)
    const parts =
      this.#words.length < MIN_LONG_QUERY_WORDS
        ? sentences
        : sentences.flatMap((sentence) => sentence.split(LIST_SEPARATOR))
    return parts.filter((clause) => clause.trim().length > MIN_CLAUSE_CHARS)
  }

  readConcepts(text: string): Concept[] {
    const words = joinPhrases(splitWords(text), this.#language, this.#context.lexicon)
    const contentWords = words.filter((word) => !this.#isStopWord(word))
    const queryWords = contentWords.length > 0 ? contentWords : words
    const concepts = new Map<string, Concept>()
    for (const [at, word] of queryWords.entries())
      for (const concept of this.#conceptsOf(word, this.#joinTerms(queryWords, at))) concepts.set(concept.id, concept)
    return [...concepts.values()]
  }

  #isStopWord(word: string): boolean {
    if (isUnspaced(word)) return false
    return word.length < 2 || isStopWord(word, this.#language ?? 'en')
  }

  /** Returns indexed terms that join the word with a neighbour: `mind map` also matches `mindmap`. */
  #joinTerms(words: readonly string[], at: number): string[] {
    const word = words[at] ?? ''
    const pairs = [stem(`${words[at - 1] ?? ''}${word}`), stem(`${word}${words[at + 1] ?? ''}`)]
    return pairs.filter((pair) => pair !== stem(word) && this.#context.postings.has(pair))
  }

  #conceptsOf(word: string, joinedTerms: readonly string[]): Concept[] {
    const id = [word, ...joinedTerms].join(' ')
    const cachedConcepts = this.#conceptCache.get(id)
    if (cachedConcepts !== undefined) return cachedConcepts
    const concepts = isUnspaced(word) ? this.#readRun(word) : this.#readWord(word, joinedTerms)
    this.#conceptCache.set(id, concepts)
    return concepts
  }

  #readWord(word: string, joinedTerms: readonly string[]): Concept[] {
    const { lexicon, postings, similarTerms } = this.#context
    const term = stem(word)
    const ownTerms = [term, ...joinedTerms].map((ownTerm) => ({ term: ownTerm, weight: 1 }))
    const meaning = this.#language === undefined ? [] : translate(word, this.#language, lexicon)
    if (meaning.length > 0)
      return meaning.map((senses, index) => this.#createConcept(`${word}/${index}`, [...senses, ...ownTerms]))
    if (this.#language !== undefined) ownTerms.push({ term: stemLightly(word, this.#language), weight: 1 })
    const synonyms = [...(lexicon.synonyms.get(term) ?? [])].map((item) => ({
      term: item,
      weight: RANKING_WEIGHTS.synonym,
    }))
    const isName = this.#properNames.has(word) || /\d/.test(word)
    const substitutes = isName || postings.has(term) ? [] : similarTerms.find(term)
    return [this.#createConcept(term, [...ownTerms, ...synonyms, ...substitutes], this.#weightOf(word, term))]
  }

  #weightOf(word: string, term: string): number {
    if (/^\d+$/.test(word)) return RANKING_WEIGHTS.number
    return this.#properNames.has(word) && !this.#context.postings.has(term) ? RANKING_WEIGHTS.properName : 1
  }

  /** Reads Chinese, Japanese and Korean: known words by their translation, the text between them by bigrams. */
  #readRun(run: string): Concept[] {
    const { lexicon, postings } = this.#context
    return translateRun(run, lexicon).flatMap(({ text, meaning }) => {
      const pairs = bigramsOf(text).map((term) => ({ term, weight: 1 }))
      if (meaning !== undefined)
        return meaning.map((senses, index) => this.#createConcept(`${text}/${index}`, [...senses, ...pairs]))
      const foundPairs = pairs.filter(({ term }) => postings.has(term))
      if (foundPairs.length > 0)
        return foundPairs.map((pair) => this.#createConcept(pair.term, [pair], RANKING_WEIGHTS.bigram))
      return /^\p{Script=Hiragana}*$/u.test(text) ? [] : [this.#createConcept(text, [], RANKING_WEIGHTS.unknownRun)]
    })
  }

  #createConcept(id: string, alternatives: readonly Sense[], weight = 1): Concept {
    const { postings } = this.#context
    const terms = new Map<string, number>()
    let frequency = 0
    for (const { term, weight: likeness } of alternatives) {
      const count = postings.countTools(term)
      if (count > 0 && likeness > (terms.get(term) ?? 0)) terms.set(term, likeness)
      frequency = Math.max(frequency, count)
    }
    // The most frequent alternative decides: rare synonyms must not make a common word count as rare.
    const idf = postings.computeIdf(frequency)
    return { id, terms, weight, idf }
  }
}
