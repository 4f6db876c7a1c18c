import { readFile } from 'node:fs/promises'
import { DEFAULT_PACING, forEachInSlices, type Pacing } from '../../../shared/for-each-in-slices.js'
import { Lexicon, parseTable } from './lexicon.js'

const TABLE_FILES = ['everyday.tsv', 'zh-ja.tsv', 'es-de.tsv', 'fr-pt-it.tsv', 'ko-ru.tsv', 'synonyms.tsv']
/** `data/` is at the root of the package; this file and the bundles are up to four folders below it. */
const PARENT_FOLDERS = ['./', '../', '../../', '../../../', '../../../../']

let lexicon: Promise<Lexicon> | undefined

/** Loads the shipped tables on first use and keeps them: they never change. */
export function loadLexicon(): Promise<Lexicon> {
  lexicon ??= readLexicon(import.meta.url, (message) => process.emitWarning(message))
  return lexicon
}

/**
 * Reads the tables from the nearest `data/tool-search` above a file in the folder tree. If tables are missing, as when
 * another project bundles this package, their languages and synonyms are not supported, and a warning explains the fix.
 */
export async function readLexicon(
  fileUrl: string,
  warn: (message: string) => void,
  pacing: Pacing = DEFAULT_PACING,
): Promise<Lexicon> {
  const lexicon = new Lexicon()
  const missingFiles: string[] = []
  for (const table of TABLE_FILES) {
    const text = await readTable(table, fileUrl)
    if (text === undefined) missingFiles.push(table)
    else await forEachInSlices(parseTable(text), (entry) => lexicon.add(entry), pacing)
  }
  if (missingFiles.length > 0)
    warn(
      `Tool search: cannot find ${missingFiles.join(', ')}, so it supports fewer languages and synonyms. ` +
        'If you bundled haft, copy the folder "data" of the package beside the bundle.',
    )
  return lexicon
}

async function readTable(name: string, fileUrl: string): Promise<string | undefined> {
  for (const folder of PARENT_FOLDERS) {
    try {
      return await readFile(new URL(`${folder}data/tool-search/${name}`, fileUrl), 'utf8')
    } catch {
      // The table is not in this folder, so the parent is tried.
    }
  }
  return undefined
}
