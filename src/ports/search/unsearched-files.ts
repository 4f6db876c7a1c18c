import { realpath } from 'node:fs/promises'
import { SearchError, type SearchQuery, type UnsearchedFile } from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { isEndlessFile } from '../../shared/endless-file.js'
import { pathBytes, pathText } from '../../shared/path-bytes.js'
import { quote } from '../../shared/quote.js'
import type { KeepPath } from './glob-files.js'
import type { SearchRoot } from './open-root.js'

/** The files that could not be searched, formatted for the result. Files that were excluded are not mentioned. */
export function unsearchedFiles(
  files: SplitComplaint['files'],
  root: SearchRoot,
  keeps: KeepPath | undefined,
): readonly UnsearchedFile[] {
  return files
    .map(({ printed, said }) => ({ path: Buffer.from(printed.replace(/^\.\//, '')), said }))
    .filter(({ path }) => keeps === undefined || keeps(path))
    .map(({ path, said }) => ({ path: root.show(path), reason: reasonOf(said) }))
    .sort((a, b) => compareCodeUnits(a.path, b.path))
}

function reasonOf(said: string): string {
  return said.startsWith('PCRE2: ') ? 'the pattern takes too many steps in it' : said.replace(/ \(os error \d+\)$/, '')
}

/** Splits the errors of ripgrep into skipped files and fatal errors. */
export interface SplitComplaint {
  readonly files: readonly { readonly printed: string; readonly said: string }[]
  readonly rest: string
}

/** A name may contain colons and newlines, so its end is found by the text that follows. */
const ABOUT_A_FILE = /^rg: ([\s\S]+?): (PCRE2: error matching: .*|[^:\n]+ \(os error \d+\))$/gm
/** The file was removed meanwhile. */
const GONE = /\(os error 2\)$/

/** Not an error: nothing matched, which the result says. */
const NOTHING_TO_SEARCH = /^(?:rg: )?No files were searched,.*\n?.*being skipped\.$/gm

export function splitComplaint(complaint: string): SplitComplaint {
  const found = [...complaint.matchAll(ABOUT_A_FILE)].map(([, printed = '', said = '']) => ({ printed, said }))
  const files = found.filter(({ said }) => !GONE.test(said))
  return { files, rest: complaint.replace(ABOUT_A_FILE, '').replace(NOTHING_TO_SEARCH, '').trim() }
}

/** Explains an error of ripgrep in terms of the query. */
export function explainComplaint(complaint: string, { pattern, type }: SearchQuery): string {
  const said = complaint.replace(/^rg: /gm, '')
  if (/unrecognized file type/.test(said)) {
    return `There is no file type ${quote(type)}; use a glob instead, such as "*.${type}".`
  }
  if (/is not allowed in a regex/.test(said) && /multiline/.test(said)) {
    return `The pattern ${quote(pattern)} reaches over lines; set multiline to true.`
  }
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    return `The pattern ${quote(pattern)} ends in a backslash that stands before nothing. For the backslash itself send two of them: ${quote(`${pattern}\\`)}.`
  }
  const [, problem] = /error: (.*)/.exec(said) ?? /PCRE2: (.*)/.exec(said) ?? []
  if (problem === undefined) return `The search failed: ${said}`
  return `The pattern ${quote(pattern)} is no valid regular expression: ${problem}. To search for the text itself, put a backslash before each of \\ . + * ? ( ) | [ ] { } ^ $.`
}

/** Folders with files that block forever, or that are memory. */
const ENDLESS_FOLDER = /^\/(?:proc|sys\/kernel)(?:\/|$)/

/** Refuses to search /proc and the like. Single files there can be searched by name. */
export async function refuseEndless(path: string, isFolder: boolean): Promise<void> {
  const real = pathText(await realpath(pathBytes(path), 'buffer'))
  if (!isEndlessFile(real) && !(isFolder && ENDLESS_FOLDER.test(real))) return
  throw new SearchError(
    `${path} is a device or a part of the running system: searching it could wait or go on for ever. Use a command that reads a bounded part of it, if it must be.`,
  )
}
