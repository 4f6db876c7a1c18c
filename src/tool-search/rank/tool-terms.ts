import type { Lexicon, Meaning } from './lexicon.js'
import type { SearchableTool } from './searchable-tool.js'
import { isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'
import { bigrams, languageOf, translate, translateRun } from './term-translation.js'

export const FIELDS = 4
const MAX_SCHEMA_DEPTH = 6
const MAX_SENSES = 2
const MAX_FIELD_CHARS = 8_000

/** The terms of each field of a tool: name and aliases, server, description and hint, parameters. */
export function toolTerms(tool: SearchableTool, lexicon: Lexicon): string[][] {
  const name = [tool.name, ...(tool.aliases ?? [])].join(' ')
  const texts = [name, tool.server ?? '', `${tool.description} ${tool.searchHint ?? ''}`, schemaText(tool.inputSchema)]
  return texts.map((text) => textTerms(text.slice(0, MAX_FIELD_CHARS), lexicon))
}

/** Stems and pairs of letters; what is not English is there in English, too. */
function textTerms(text: string, lexicon: Lexicon): string[] {
  const terms: string[] = []
  const words: string[] = []
  for (const word of splitWords(text)) {
    if (isUnspaced(word)) {
      terms.push(...bigrams(word))
      for (const { meaning = [] } of translateRun(word, lexicon)) terms.push(...englishTerms(meaning))
      continue
    }
    words.push(word)
    terms.push(stem(word))
    const letters = /^(\p{L}{3,})\d+$/u.exec(word)?.[1]
    if (letters !== undefined) terms.push(stem(letters))
  }
  const language = words.length < 3 ? undefined : languageOf(words, lexicon, () => false)
  if (language !== undefined) for (const word of words) terms.push(...englishTerms(translate(word, language, lexicon)))
  return terms
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
