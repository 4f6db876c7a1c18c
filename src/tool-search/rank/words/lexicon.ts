import { foldCase, isUnspaced, splitWords } from './split-words.js'
import { isInflected, stem, stemPhrase } from './stemming.js'
import { isStopWord, UNSPACED_STOP_WORDS } from './stop-words.js'

/** The stem of an English word, and how likely it is meant. */
export interface Sense {
  readonly term: string
  readonly weight: number
}

/** A translation into an English phrase: the alternatives for each word of the phrase. */
export type Meaning = readonly (readonly Sense[])[]

export interface Vocabulary {
  /** Meanings by the written form. */
  readonly exact: Map<string, Meaning>
  /** Meanings by the stem. */
  readonly stems: Map<string, Meaning>
  /** The number of words in the longest phrase. */
  longestPhrase: number
}

/** A line of a table: English phrases of the same meaning, and their translations. */
export interface LexiconEntry {
  readonly english: readonly string[]
  readonly translations: readonly { readonly language: string; readonly words: readonly string[] }[]
}

/** A phrase that needs no splitting. Most English phrases are a single plain word. */
const SINGLE_WORD = /^[a-z]+$/
const FURTHER_PHRASE_WEIGHT = 0.85
const PART_OF_PHRASE_WEIGHT = 0.5

/**
 * Parses a table of tab-separated cells with comma-separated words; the first line names the languages.
 * Yields the lines one by one, so that a caller can pause between them.
 */
export function* parseTable(text: string): Generator<LexiconEntry> {
  const [header = '', ...lines] = text.split(/\r?\n/)
  const languages = header.split('\t').slice(1)
  for (const line of lines) {
    const [englishCell = '', ...cells] = line.split('\t')
    yield {
      english: englishCell.split(','),
      translations: languages.map((language, column) => ({ language, words: (cells[column] ?? '').split(',') })),
    }
  }
}

/** Translations of words into English, and English synonyms. */
export class Lexicon {
  readonly languages = new Map<string, Vocabulary>()
  /** Words of Chinese, Japanese and Korean in one map. Text is segmented into these words. */
  readonly unspacedWords = new Map<string, Meaning>([...UNSPACED_STOP_WORDS].map((word) => [word, []]))
  /** Synonyms by English stem. */
  readonly synonyms = new Map<string, Set<string>>()
  readonly #englishTerms = new Set<string>()
  longestUnspacedLength = Math.max(...[...this.unspacedWords.keys()].map((word) => word.length))

  add({ english, translations }: LexiconEntry): void {
    const phrases = english.map(stemWords).filter((phrase) => phrase.length > 0)
    if (phrases.length === 0) return
    this.#addEnglish(phrases)
    const meaning = createMeaning(phrases)
    for (const { language, words } of translations)
      for (const word of words) this.#addWord(word.trim(), language, meaning)
  }

  /** Whether the stem occurs in any English word or phrase of the tables. */
  hasEnglishTerm(term: string): boolean {
    return this.#englishTerms.has(term)
  }

  #addEnglish(phrases: readonly (readonly string[])[]): void {
    for (const phrase of phrases) for (const term of phrase) this.#englishTerms.add(term)
    const singleWords = phrases.flatMap(([term = '', ...others]) => (others.length === 0 ? [term] : []))
    if (singleWords.length < 2) return
    for (const term of singleWords) {
      const synonyms = this.synonyms.get(term) ?? new Set()
      for (const other of singleWords) if (other !== term) synonyms.add(other)
      this.synonyms.set(term, synonyms)
    }
  }

  #addWord(word: string, language: string, meaning: Meaning): void {
    if (word === '') return
    if (isUnspaced(word)) {
      const compactWord = word.replaceAll(' ', '').toLowerCase()
      addMeaning(this.unspacedWords, compactWord, meaning)
      this.longestUnspacedLength = Math.max(this.longestUnspacedLength, compactWord.length)
      return
    }
    if (!isInflected(language)) return
    const vocabulary = this.languages.get(language) ?? { exact: new Map(), stems: new Map(), longestPhrase: 1 }
    this.languages.set(language, vocabulary)
    const words = /[\s'’-]/.test(word) ? splitWords(word) : [foldCase(word)]
    const foldedPhrase = words.join(' ')
    vocabulary.longestPhrase = Math.max(vocabulary.longestPhrase, words.length)
    addMeaning(vocabulary.exact, foldedPhrase, meaning)
    addMeaning(vocabulary.stems, stemPhrase(foldedPhrase, language), meaning)
  }
}

function stemWords(phrase: string): string[] {
  if (SINGLE_WORD.test(phrase)) return [stem(phrase)]
  const words = splitWords(phrase)
  const contentWords = words.filter((word) => !isStopWord(word, 'en'))
  return (contentWords.length > 0 ? contentWords : words).map(stem)
}

/**
 * Creates a meaning from phrases. The first phrase decides the number of words; words of the other phrases are alternatives for
 * each of them.
 */
function createMeaning([first = [], ...others]: readonly (readonly string[])[]): Meaning {
  const alternatives = others.flatMap((phrase) =>
    phrase.map((term) => ({ term, weight: FURTHER_PHRASE_WEIGHT * (phrase.length > 1 ? PART_OF_PHRASE_WEIGHT : 1) })),
  )
  return first.map((term) => [{ term, weight: 1 }, ...alternatives])
}

/** Adds a meaning. A word with several meanings keeps the number of words of its first meaning; stop words get no meaning. */
function addMeaning(map: Map<string, Meaning>, word: string, meaning: Meaning): void {
  const existingMeaning = map.get(word)
  if (existingMeaning === undefined) map.set(word, meaning)
  if (existingMeaning === undefined || existingMeaning.length === 0) return
  const share = meaning.length > 1 ? PART_OF_PHRASE_WEIGHT : 1
  const addedTerms = meaning.flat().map(({ term, weight }) => ({ term, weight: weight * share }))
  map.set(
    word,
    existingMeaning.map((senses) => [...senses, ...addedTerms]),
  )
}
