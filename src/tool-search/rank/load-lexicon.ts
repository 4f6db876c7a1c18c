import { readFileSync } from 'node:fs'
import { Lexicon } from './lexicon.js'

const TABLES = ['everyday.tsv', 'zh-ja.tsv', 'es-de.tsv', 'fr-pt-it.tsv', 'ko-ru.tsv', 'synonyms.tsv']
/** Beside this file in the sources; beside the bundles, which are a folder or two deep, in the package. */
const FOLDERS = ['./data/', '../data/', '../../data/']

let loaded: Lexicon | undefined

/** Reads the words when they are first needed. Without them, in a bundle of somebody else's, English is left. */
export function loadLexicon(): Lexicon {
  if (loaded !== undefined) return loaded
  const lexicon = new Lexicon()
  for (const table of TABLES) lexicon.addTable(readTable(table))
  loaded = lexicon
  return lexicon
}

function readTable(name: string): string {
  for (const folder of FOLDERS) {
    try {
      return readFileSync(new URL(folder + name, import.meta.url), 'utf8')
    } catch {
      // Not here: the next place, or none.
    }
  }
  return ''
}
