import { isInflected, stemPhrase } from './light-stem.js'
import { foldCase, isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'
import { isStopWord, UNSPACED_STOP_WORDS } from './stop-words.js'

/** An English word to look for, by its stem, and how sure it is. */
export interface Sense {
  readonly term: string
  readonly weight: number
}

/** What a word means in English: for each word of the English phrase what would do for it. */
export type Meaning = readonly (readonly Sense[])[]

export interface Vocabulary {
  /** The words as they are written, and by their stems. */
  readonly exact: Map<string, Meaning>
  readonly stems: Map<string, Meaning>
  /** How many words its longest phrase has. */
  longestPhrase: number
}

/** Most phrases are one; the others take longer to cut. */
const ONE_WORD = /^[a-z]+$/
const FURTHER_WORD = 0.85
const PART_OF_PHRASE = 0.5

/** Words of other languages with what they mean in English, and English words that mean the same. */
export class Lexicon {
  readonly languages = new Map<string, Vocabulary>()
  /** Chinese, Japanese and Korean in one: they are read by longest match. */
  readonly unspaced = new Map<string, Meaning>([...UNSPACED_STOP_WORDS].map((word) => [word, []]))
  readonly english = new Map<string, Set<string>>()
  readonly #terms = new Set<string>()
  longestUnspaced = Math.max(...[...this.unspaced.keys()].map((word) => word.length))

  /** Lines of tab-separated cells, words in a cell by commas; the first line names the languages. */
  addTable(text: string): void {
    const [header = '', ...lines] = text.split(/\r?\n/)
    const languages = header.split('\t').slice(1)
    for (const line of lines) {
      const [english = '', ...cells] = line.split('\t')
      const phrases = english
        .split(',')
        .map(stems)
        .filter((phrase) => phrase.length > 0)
      if (phrases.length === 0) continue
      this.#addEnglish(phrases)
      const meaning = meaningOf(phrases)
      for (const [column, language] of languages.entries())
        for (const word of (cells[column] ?? '').split(',')) this.#addWord(word.trim(), language, meaning)
    }
  }

  /** Is it a word that tools are described with, even if only in a phrase? */
  knows(term: string): boolean {
    return this.#terms.has(term)
  }

  #addEnglish(phrases: readonly (readonly string[])[]): void {
    for (const phrase of phrases) for (const term of phrase) this.#terms.add(term)
    const single = phrases.flatMap(([term = '', ...rest]) => (rest.length === 0 ? [term] : []))
    if (single.length < 2) return
    for (const term of single) {
      const others = this.english.get(term) ?? new Set()
      for (const other of single) if (other !== term) others.add(other)
      this.english.set(term, others)
    }
  }

  #addWord(word: string, language: string, meaning: Meaning): void {
    if (word === '') return
    if (isUnspaced(word)) {
      const written = word.replaceAll(' ', '').toLowerCase()
      addMeaning(this.unspaced, written, meaning)
      this.longestUnspaced = Math.max(this.longestUnspaced, written.length)
      return
    }
    if (!isInflected(language)) return
    const vocabulary = this.languages.get(language) ?? { exact: new Map(), stems: new Map(), longestPhrase: 1 }
    this.languages.set(language, vocabulary)
    const words = /[\s'’-]/.test(word) ? splitWords(word) : [foldCase(word)]
    const folded = words.join(' ')
    vocabulary.longestPhrase = Math.max(vocabulary.longestPhrase, words.length)
    addMeaning(vocabulary.exact, folded, meaning)
    addMeaning(vocabulary.stems, stemPhrase(folded, language), meaning)
  }
}

function stems(phrase: string): string[] {
  if (ONE_WORD.test(phrase)) return [stem(phrase)]
  const words = splitWords(phrase)
  const telling = words.filter((word) => !isStopWord(word, 'en'))
  return (telling.length > 0 ? telling : words).map(stem)
}

/** The first phrase gives the shape; the others would do in place of each of its words. */
function meaningOf([first = [], ...others]: readonly (readonly string[])[]): Meaning {
  const further = others.flatMap((phrase) =>
    phrase.map((term) => ({ term, weight: FURTHER_WORD * (phrase.length > 1 ? PART_OF_PHRASE : 1) })),
  )
  return first.map((term) => [{ term, weight: 1 }, ...further])
}

/** A word with several meanings has the shape of its first one. */
function addMeaning(map: Map<string, Meaning>, word: string, meaning: Meaning): void {
  const before = map.get(word)
  if (before === undefined) map.set(word, meaning)
  if (before === undefined || before.length === 0) return
  const share = meaning.length > 1 ? PART_OF_PHRASE : 1
  const added = meaning.flat().map(({ term, weight }) => ({ term, weight: weight * share }))
  map.set(
    word,
    before.map((senses) => [...senses, ...added]),
  )
}
