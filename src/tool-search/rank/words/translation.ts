import type { Lexicon, Meaning, Vocabulary } from './lexicon.js'
import { stem, stemLightly, stemPhrase } from './stemming.js'
import { isStopWord } from './stop-words.js'

const MIN_COMPOUND_PART_CHARS = 3
/** Letters that German puts between the parts of a compound. */
const LINKING_LETTERS = ['s', 'n', 'en', 'es', 'er', 'e']

/**
 * Detects the language of words in an alphabetic script; undefined for English and for undecided cases.
 * `isIndexed` returns whether some tool contains a term, which suggests English.
 */
export function detectLanguage(
  words: readonly string[],
  lexicon: Lexicon,
  isIndexed: (term: string) => boolean,
): string | undefined {
  const englishScore = words.reduce((sum, word) => sum + scoreAsEnglish(word, lexicon, isIndexed), 0)
  if (englishScore >= words.length) return undefined
  let bestLanguage: string | undefined
  let bestScore = englishScore
  for (const [language, { exact, stems }] of lexicon.languages) {
    let score = 0
    for (const word of words) {
      if (exact.has(word) || isStopWord(word, language)) score += 1
      else if (stems.has(stemLightly(word, language))) score += 0.5
    }
    if (score <= bestScore) continue
    bestScore = score
    bestLanguage = language
  }
  return bestLanguage
}

/** Whether most of the words are English. Much cheaper than `detectLanguage`. */
export function isMostlyEnglish(words: readonly string[], lexicon: Lexicon): boolean {
  return 2 * words.filter((word) => scoreAsEnglish(word, lexicon, () => false) === 1).length > words.length
}

function scoreAsEnglish(word: string, lexicon: Lexicon, isIndexed: (term: string) => boolean): number {
  if (isStopWord(word, 'en') || lexicon.hasEnglishTerm(stem(word))) return 1
  return isIndexed(stem(word)) ? 0.6 : 0
}

/** Joins words that the lexicon lists as one phrase, such as `captura de pantalla`. */
export function joinPhrases(
  words: readonly string[],
  language: string | undefined,
  lexicon: Lexicon,
): readonly string[] {
  const vocabulary = lexicon.languages.get(language ?? '')
  if (language === undefined || vocabulary === undefined) return words
  const joinedWords: string[] = []
  for (let at = 0; at < words.length; ) {
    let count = Math.min(vocabulary.longestPhrase, words.length - at)
    while (count > 1 && lookUp(words.slice(at, at + count).join(' '), language, vocabulary) === undefined) count -= 1
    joinedWords.push(words.slice(at, at + count).join(' '))
    at += count
  }
  return joinedWords
}

/** Translates a word or phrase into English; empty if it is unknown. */
export function translate(word: string, language: string, lexicon: Lexicon): Meaning {
  const vocabulary = lexicon.languages.get(language)
  if (vocabulary === undefined) return []
  return lookUp(word, language, vocabulary) ?? (language === 'de' ? translateCompound(word, vocabulary) : [])
}

function lookUp(word: string, language: string, { exact, stems }: Vocabulary): Meaning | undefined {
  return exact.get(word) ?? stems.get(stemPhrase(word, language))
}

/** Splits German compounds: `browserfensters` is `browser` and `fenster`. */
function translateCompound(word: string, vocabulary: Vocabulary): Meaning {
  for (let cut = word.length - MIN_COMPOUND_PART_CHARS; cut >= MIN_COMPOUND_PART_CHARS; cut--) {
    const head = lookUpCompoundHead(word.slice(0, cut), vocabulary)
    if (head === undefined) continue
    const remainder = word.slice(cut)
    const tail = lookUp(remainder, 'de', vocabulary) ?? translateCompound(remainder, vocabulary)
    if (tail.length > 0) return [...head, ...tail]
  }
  return []
}

function lookUpCompoundHead(word: string, { exact, stems }: Vocabulary): Meaning | undefined {
  const meaning = exact.get(word) ?? (word.length > MIN_COMPOUND_PART_CHARS ? stems.get(word) : undefined)
  if (meaning !== undefined) return meaning
  const link = LINKING_LETTERS.find((end) => word.endsWith(end) && exact.has(word.slice(0, -end.length)))
  return link === undefined ? undefined : exact.get(word.slice(0, -link.length))
}

/** Segments a run of Chinese, Japanese or Korean into known words with their meaning, and unknown text between them. */
export function translateRun(run: string, lexicon: Lexicon): { text: string; meaning: Meaning | undefined }[] {
  const parts = segment(run, lexicon.unspacedWords, lexicon.longestUnspacedLength)
  return parts.map((text) => ({ text, meaning: lexicon.unspacedWords.get(text) }))
}

/** Splits a run of characters into known words, preferring long ones, and the text between them. */
function segment(run: string, words: ReadonlyMap<string, unknown>, longestWord: number): string[] {
  const bestScores = new Float64Array(run.length + 1)
  /** The length of the word that ends at each position in the best segmentation; 0 for none. */
  const wordLength = new Int32Array(run.length + 1)
  for (let end = 1; end <= run.length; end++) {
    bestScores[end] = bestScores[end - 1] ?? 0
    for (let length = Math.min(longestWord, end); length >= 1; length--) {
      if (!words.has(run.slice(end - length, end))) continue
      // The length is squared, because one long word is better evidence than two short ones.
      const value = (bestScores[end - length] ?? 0) + length * length
      if (value <= (bestScores[end] ?? 0)) continue
      bestScores[end] = value
      wordLength[end] = length
    }
  }
  return splitByWordLength(run, wordLength)
}

function splitByWordLength(run: string, wordLength: Int32Array): string[] {
  const parts: string[] = []
  let end = run.length
  while (end > 0) {
    let start = end - (wordLength[end] ?? 0)
    if (start === end) while (start > 0 && wordLength[start] === 0) start -= 1
    parts.push(run.slice(start, end))
    end = start
  }
  return parts.reverse()
}

/** Returns pairs of neighbouring characters, or a single character: the terms of scripts without spaces. */
export function bigramsOf(run: string): string[] {
  const letters = Array.from(run)
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
