import { isInflected, lightStem } from './light-stem.js'
import { foldCase, isUnspaced, splitWords } from './split-words.js'
import { stem } from './stem.js'

/** An English word to look for, by its stem, and how sure it is. */
export interface Sense {
  readonly term: string
  readonly weight: number
}

const FURTHER_WORD = 0.85
const PART_OF_PHRASE = 0.5

/** Words of other languages with what they mean in English, and English words that mean the same. */
export class Lexicon {
  /** By language: the words as they are written, and by their stems. */
  readonly languages = new Map<string, { exact: Map<string, Sense[]>; stems: Map<string, Sense[]> }>()
  /** Chinese, Japanese and Korean in one: they are read by longest match. */
  readonly unspaced = new Map<string, Sense[]>()
  readonly english = new Map<string, Sense[]>()
  longestUnspaced = 1

  /** Lines of tab-separated cells, words in a cell by commas; the first line names the languages. */
  addTable(text: string): void {
    const [header = '', ...lines] = text.split('\n')
    const languages = header.split('\t').slice(1)
    for (const line of lines) {
      const [english = '', ...cells] = line.split('\t')
      if (english === '') continue
      const senses = this.#addEnglish(english)
      for (const [column, language] of languages.entries())
        for (const word of (cells[column] ?? '').split(',')) this.#addWord(foldCase(word.trim()), language, senses)
    }
  }

  #addEnglish(cell: string): Sense[] {
    const senses: Sense[] = []
    const single: string[] = []
    for (const [index, phrase] of cell.split(',').entries()) {
      const stems = splitWords(phrase).map(stem)
      const weight = (index === 0 ? 1 : FURTHER_WORD) * (stems.length > 1 ? PART_OF_PHRASE : 1)
      if (stems.length === 1) single.push(...stems)
      for (const term of stems) if (!senses.some((sense) => sense.term === term)) senses.push({ term, weight })
    }
    for (const term of single) {
      const others = single.filter((other) => other !== term).map((other) => ({ term: other, weight: 1 }))
      append(this.english, term, others)
    }
    return senses
  }

  #addWord(word: string, language: string, senses: readonly Sense[]): void {
    if (word === '') return
    if (isUnspaced(word)) {
      const written = word.replaceAll(' ', '')
      append(this.unspaced, written, senses)
      this.longestUnspaced = Math.max(this.longestUnspaced, written.length)
      return
    }
    if (!isInflected(language)) return
    const table = this.languages.get(language) ?? { exact: new Map(), stems: new Map() }
    this.languages.set(language, table)
    append(table.exact, word, senses)
    append(table.stems, lightStem(word, language), senses)
  }
}

function append(map: Map<string, Sense[]>, key: string, senses: readonly Sense[]): void {
  const known = map.get(key)
  if (known === undefined) {
    map.set(key, [...senses])
    return
  }
  for (const sense of senses) if (!known.some(({ term }) => term === sense.term)) known.push(sense)
}
