import type { Lexicon, Meaning, Vocabulary } from './lexicon.js'
import { lightStem, stemPhrase } from './light-stem.js'
import { segment } from './segment.js'
import { stem } from './stem.js'
import { isStopWord } from './stop-words.js'

const SHORTEST_PART = 3
const LINKS = ['s', 'n', 'en', 'es', 'er', 'e']

/** The language of words in an alphabet: undefined for English, and where nothing tells. */
export function languageOf(words: readonly string[], lexicon: Lexicon, isKnown: (term: string) => boolean) {
  const english = words.reduce((sum, word) => sum + englishness(word, lexicon, isKnown), 0)
  if (english >= words.length) return undefined
  let best: string | undefined
  let most = english
  for (const [language, { exact, stems }] of lexicon.languages) {
    let score = 0
    for (const word of words) {
      if (exact.has(word) || isStopWord(word, language)) score += 1
      else if (stems.has(lightStem(word, language))) score += 0.5
    }
    if (score <= most) continue
    most = score
    best = language
  }
  return best
}

/** Are most of the words English? Much cheaper than to ask for the language. */
export function isMostlyEnglish(words: readonly string[], lexicon: Lexicon): boolean {
  return 2 * words.filter((word) => englishness(word, lexicon, () => false) === 1).length > words.length
}

function englishness(word: string, lexicon: Lexicon, isKnown: (term: string) => boolean): number {
  if (isStopWord(word, 'en') || lexicon.knows(stem(word))) return 1
  return isKnown(stem(word)) ? 0.6 : 0
}

/** The words of a text in another language, where those that mean something together are one: `captura de pantalla`. */
export function joinPhrases(
  words: readonly string[],
  language: string | undefined,
  lexicon: Lexicon,
): readonly string[] {
  const vocabulary = lexicon.languages.get(language ?? '')
  if (language === undefined || vocabulary === undefined) return words
  const joined: string[] = []
  for (let at = 0; at < words.length; ) {
    let count = Math.min(vocabulary.longestPhrase, words.length - at)
    while (count > 1 && lookUp(words.slice(at, at + count).join(' '), language, vocabulary) === undefined) count -= 1
    joined.push(words.slice(at, at + count).join(' '))
    at += count
  }
  return joined
}

/** What a word or phrase means in English; empty where it is unknown. */
export function translate(word: string, language: string, lexicon: Lexicon): Meaning {
  const vocabulary = lexicon.languages.get(language)
  if (vocabulary === undefined) return []
  return lookUp(word, language, vocabulary) ?? (language === 'de' ? compound(word, vocabulary) : [])
}

function lookUp(word: string, language: string, { exact, stems }: Vocabulary): Meaning | undefined {
  return exact.get(word) ?? stems.get(stemPhrase(word, language))
}

/** German writes compounds in one: `browserfensters` is `browser` and `fenster`. */
function compound(word: string, vocabulary: Vocabulary): Meaning {
  for (let cut = word.length - SHORTEST_PART; cut >= SHORTEST_PART; cut--) {
    const head = lookUpHead(word.slice(0, cut), vocabulary)
    if (head === undefined) continue
    const rest = word.slice(cut)
    const tail = lookUp(rest, 'de', vocabulary) ?? compound(rest, vocabulary)
    if (tail.length > 0) return [...head, ...tail]
  }
  return []
}

function lookUpHead(part: string, { exact, stems }: Vocabulary): Meaning | undefined {
  const whole = exact.get(part) ?? (part.length > SHORTEST_PART ? stems.get(part) : undefined)
  if (whole !== undefined) return whole
  const link = LINKS.find((end) => part.endsWith(end) && exact.has(part.slice(0, -end.length)))
  return link === undefined ? undefined : exact.get(part.slice(0, -link.length))
}

/** The words in a run of Chinese, Japanese or Korean with what they mean, and what stands between them. */
export function translateRun(run: string, lexicon: Lexicon): { text: string; meaning: Meaning | undefined }[] {
  const parts = segment(run, lexicon.unspaced, lexicon.longestUnspaced)
  return parts.map((text) => ({ text, meaning: lexicon.unspaced.get(text) }))
}

/** Pairs of neighbouring letters stand in for words in scripts without spaces. */
export function bigrams(run: string): string[] {
  const letters = Array.from(run)
  return letters.length < 2 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
}
