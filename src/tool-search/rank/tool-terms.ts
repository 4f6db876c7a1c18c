import type { SearchableTool } from './searchable-tool.js'
import type { Lexicon, Meaning } from './words/lexicon.js'
import { isUnspaced, splitWords } from './words/split-words.js'
import { stem } from './words/stemming.js'
import {
  bigramsOf,
  detectLanguage,
  isMostlyEnglish,
  joinPhrases,
  translate,
  translateRun,
} from './words/translation.js'

export const FIELD_COUNT = 4
const NAME_FIELD = 0
export const SERVER_FIELD = 1
const DESCRIPTION_FIELD = 2
const LETTERS_AND_DIGITS = /^([a-z]{3,})\d+$/
/** Language detection needs at least this many words, and looks at the first few only. */
const MIN_LANGUAGE_WORDS = 3
const MAX_LANGUAGE_WORDS = 30
const MIN_COMPOUND_CHARS = 7
const MIN_COMPOUND_PART_CHARS = 3
const MAX_SCHEMA_DEPTH = 6
const MAX_SENSES = 2
const MAX_FIELD_CHARS = 8_000

/** Extracts the terms of each field of a tool: name and aliases, server, description and hint, parameters. */
export function collectToolTerms(tool: SearchableTool, lexicon: Lexicon): string[][] {
  const name = [tool.name, ...(tool.aliases ?? [])].join(' ')
  const description = `${tool.description} ${tool.searchHint ?? ''}`
  const fields = [name, tool.server ?? '', description, collectSchemaText(tool.inputSchema)].map(splitFieldWords)
  const terms = fields.map((words) => collectFieldTerms(words, lexicon))
  for (const field of [NAME_FIELD, SERVER_FIELD])
    terms[field]?.push(...(fields[field] ?? []).flatMap((word) => splitCompound(word, lexicon)))
  terms[DESCRIPTION_FIELD]?.push(...translateTerms(fields[DESCRIPTION_FIELD] ?? [], lexicon))
  return terms
}

/** Splits names without separators: `timemachine` is `time` and `machine`. */
function splitCompound(word: string, lexicon: Lexicon): string[] {
  if (word.length < MIN_COMPOUND_CHARS || isUnspaced(word) || lexicon.hasEnglishTerm(stem(word))) return []
  for (let cut = MIN_COMPOUND_PART_CHARS; cut <= word.length - MIN_COMPOUND_PART_CHARS; cut++) {
    const compoundTerms = [stem(word.slice(0, cut)), stem(word.slice(cut))]
    if (compoundTerms.every((term) => lexicon.hasEnglishTerm(term))) return compoundTerms
  }
  return []
}

function splitFieldWords(text: string): string[] {
  return splitWords(text.slice(0, MAX_FIELD_CHARS))
}

/** Returns the stems of words; for scripts without spaces, bigrams and the English translation. */
function collectFieldTerms(words: readonly string[], lexicon: Lexicon): string[] {
  const terms: string[] = []
  for (const word of words) {
    if (isUnspaced(word)) {
      terms.push(...bigramsOf(word))
      for (const { meaning = [] } of translateRun(word, lexicon)) terms.push(...listEnglishTerms(meaning))
      continue
    }
    terms.push(stem(word))
    const letters = LETTERS_AND_DIGITS.exec(word)?.[1]
    if (letters !== undefined) terms.push(stem(letters))
  }
  return terms
}

/** Translates a description in another language, so that English queries find it. */
function translateTerms(words: readonly string[], lexicon: Lexicon): string[] {
  const alphabeticWords = words.filter((word) => !isUnspaced(word))
  if (alphabeticWords.length < MIN_LANGUAGE_WORDS) return []
  const sample = alphabeticWords.slice(0, MAX_LANGUAGE_WORDS)
  const language = isMostlyEnglish(sample, lexicon) ? undefined : detectLanguage(sample, lexicon, () => false)
  if (language === undefined) return []
  return joinPhrases(alphabeticWords, language, lexicon).flatMap((word) =>
    listEnglishTerms(translate(word, language, lexicon)),
  )
}

/** Returns the most likely English words of a meaning. */
function listEnglishTerms(meaning: Meaning): string[] {
  return meaning.flatMap((senses) => senses.slice(0, MAX_SENSES).map(({ term }) => term))
}

/** Collects the names and descriptions of parameters, nested ones included. */
function collectSchemaText(schema: unknown): string {
  const texts: string[] = []
  collectText(schema, texts, 0)
  return texts.join(' ')
}

function collectText(schema: unknown, texts: string[], depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > MAX_SCHEMA_DEPTH) return
  const { properties, items, anyOf, oneOf, allOf } = schema as Record<string, unknown>
  if (typeof properties === 'object' && properties !== null)
    for (const [name, property] of Object.entries(properties)) {
      texts.push(name)
      if (typeof property !== 'object' || property === null) continue
      if (typeof property.description === 'string') texts.push(property.description)
      collectText(property, texts, depth + 1)
    }
  for (const subschema of [items, anyOf, oneOf, allOf].flat()) collectText(subschema, texts, depth + 1)
}
