import type { Lexicon, Meaning } from './lexicon.js'
import type { SearchableTool } from './searchable-tool.js'
import { isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'
import { bigrams, isMostlyEnglish, joinPhrases, languageOf, translate, translateRun } from './term-translation.js'

export const FIELDS = 4
const NAME = 0
export const SERVER = 1
const DESCRIPTION = 2
const LETTERS_AND_DIGITS = /^([a-z]{3,})\d+$/
/** So many words tell the language. */
const FEWEST_WORDS = 3
const MOST_WORDS = 30
const SHORTEST_COMPOUND = 7
const SHORTEST_PART = 3
const MAX_SCHEMA_DEPTH = 6
const MAX_SENSES = 2
const MAX_FIELD_CHARS = 8_000

/** The terms of each field of a tool: name and aliases, server, description and hint, parameters. */
export function toolTerms(tool: SearchableTool, lexicon: Lexicon): string[][] {
  const name = [tool.name, ...(tool.aliases ?? [])].join(' ')
  const description = `${tool.description} ${tool.searchHint ?? ''}`
  const fields = [name, tool.server ?? '', description, schemaText(tool.inputSchema)].map(fieldWords)
  const terms = fields.map((words) => fieldTerms(words, lexicon))
  for (const field of [NAME, SERVER])
    terms[field]?.push(...(fields[field] ?? []).flatMap((word) => compoundTerms(word, lexicon)))
  terms[DESCRIPTION]?.push(...translatedTerms(fields[DESCRIPTION] ?? [], lexicon))
  return terms
}

/** Names write words in one: `timemachine` is `time` and `machine`. */
function compoundTerms(word: string, lexicon: Lexicon): string[] {
  if (word.length < SHORTEST_COMPOUND || isUnspaced(word) || lexicon.knows(stem(word))) return []
  for (let cut = SHORTEST_PART; cut <= word.length - SHORTEST_PART; cut++) {
    const parts = [stem(word.slice(0, cut)), stem(word.slice(cut))]
    if (parts.every((part) => lexicon.knows(part))) return parts
  }
  return []
}

function fieldWords(text: string): string[] {
  return splitWords(text.slice(0, MAX_FIELD_CHARS))
}

/** Stems, and in scripts without spaces pairs of letters beside what the words mean. */
function fieldTerms(words: readonly string[], lexicon: Lexicon): string[] {
  const terms: string[] = []
  for (const word of words) {
    if (isUnspaced(word)) {
      terms.push(...bigrams(word))
      for (const { meaning = [] } of translateRun(word, lexicon)) terms.push(...englishTerms(meaning))
      continue
    }
    terms.push(stem(word))
    const letters = LETTERS_AND_DIGITS.exec(word)?.[1]
    if (letters !== undefined) terms.push(stem(letters))
  }
  return terms
}

/** A description in another language is found by English words, too. */
function translatedTerms(words: readonly string[], lexicon: Lexicon): string[] {
  const alphabetic = words.filter((word) => !isUnspaced(word))
  if (alphabetic.length < FEWEST_WORDS) return []
  const sample = alphabetic.slice(0, MOST_WORDS)
  const language = isMostlyEnglish(sample, lexicon) ? undefined : languageOf(sample, lexicon, () => false)
  if (language === undefined) return []
  return joinPhrases(alphabetic, language, lexicon).flatMap((word) => englishTerms(translate(word, language, lexicon)))
}

/** The likeliest words of a meaning. */
function englishTerms(meaning: Meaning): string[] {
  return meaning.flatMap((senses) => senses.slice(0, MAX_SENSES).map(({ term }) => term))
}

/** Names and descriptions of parameters, however deep. */
function schemaText(schema: unknown): string {
  const parts: string[] = []
  collect(schema, parts, 0)
  return parts.join(' ')
}

function collect(schema: unknown, parts: string[], depth: number): void {
  if (typeof schema !== 'object' || schema === null || depth > MAX_SCHEMA_DEPTH) return
  const { properties, items, anyOf, oneOf, allOf } = schema as Record<string, unknown>
  if (typeof properties === 'object' && properties !== null)
    for (const [name, property] of Object.entries(properties)) {
      parts.push(name)
      if (typeof property !== 'object' || property === null) continue
      if (typeof property.description === 'string') parts.push(property.description)
      collect(property, parts, depth + 1)
    }
  for (const part of [items, anyOf, oneOf, allOf].flat()) collect(part, parts, depth + 1)
}
