import { readFileSync } from 'node:fs'
import { Lexicon } from './lexicon.js'

const TABLES = ['everyday.tsv', 'zh-ja.tsv', 'es-de.tsv', 'fr-pt-it.tsv', 'ko-ru.tsv', 'synonyms.tsv']
/** Beside this file in the sources; beside the bundles, which are a folder or two deep, in the package. */
const FOLDERS = ['./data/', '../data/', '../../data/']

let loaded: Lexicon | undefined

/** Reads the words when they are first needed. */
export function loadLexicon(): Lexicon {
  loaded ??= readLexicon(import.meta.url, (message) => process.emitWarning(message))
  return loaded
}

/** The tables near a file. Without them, in a bundle of somebody else's, English is left, and a warning says so. */
export function readLexicon(file: string, warn: (message: string) => void): Lexicon {
  const lexicon = new Lexicon()
  const missing = TABLES.filter((table) => {
    const text = readTable(table, file)
    if (text !== undefined) lexicon.addTable(text)
    return text === undefined
  })
  if (missing.length > 0)
    warn(
      `The tool search has not found ${missing.join(', ')}: it knows fewer languages and synonyms. ` +
        'If haft was bundled, copy the folder "data" of the package beside the bundle.',
    )
  return lexicon
}

function readTable(name: string, file: string): string | undefined {
  for (const folder of FOLDERS) {
    try {
      return readFileSync(new URL(folder + name, file), 'utf8')
    } catch {
      // Not here: the next place, or none.
    }
  }
  return undefined
}
