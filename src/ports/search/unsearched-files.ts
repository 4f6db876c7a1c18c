import { SearchError, type SearchQuery, type UnsearchedFile } from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { isEndlessFile } from '../../shared/endless-file.js'
import { quote } from '../../shared/quote.js'
import type { PathFilter } from './glob-files.js'
import type { SearchRoot } from './open-root.js'

/** Returns the files that could not be searched, formatted for the result. Excluded files are not mentioned. */
export function findUnsearchedFiles(
  files: SplitErrors['files'],
  root: SearchRoot,
  shouldKeep: PathFilter | undefined,
): readonly UnsearchedFile[] {
  return files
    .map(({ printed, error }) => ({ path: Buffer.from(printed.replace(/^\.\//, '')), error }))
    .filter(({ path }) => shouldKeep === undefined || shouldKeep(path))
    .map(({ path, error }) => ({ path: root.show(path), reason: describeFileError(error) }))
    .sort((a, b) => compareCodeUnits(a.path, b.path))
}

function describeFileError(error: string): string {
  return error.startsWith('PCRE2: ')
    ? 'the pattern takes too many steps in this file'
    : error.replace(/ \(os error \d+\)$/, '')
}

/** The errors of ripgrep, split into those of single files and those of the query. */
export interface SplitErrors {
  readonly files: readonly { readonly printed: string; readonly error: string }[]
  readonly queryErrors: string
}

/** A name may contain colons and newlines, so its end is recognised by the text that follows. */
const FILE_ERROR = /^rg: ([\s\S]+?): (PCRE2: error matching: .*|[^:\n]+ \(os error \d+\))$/gm
/** Matches an error for a file that was removed during the search. */
const FILE_REMOVED = /\(os error 2\)$/

/** Not an error, because the result itself shows that nothing matched. */
const NO_FILES_SEARCHED_MESSAGE = /^(?:rg: )?No files were searched,.*\n?.*being skipped\.$/gm

export function splitErrors(errorOutput: string): SplitErrors {
  const fileErrors = [...errorOutput.matchAll(FILE_ERROR)].map(([, printed = '', error = '']) => ({ printed, error }))
  const files = fileErrors.filter(({ error }) => !FILE_REMOVED.test(error))
  return { files, queryErrors: errorOutput.replace(FILE_ERROR, '').replace(NO_FILES_SEARCHED_MESSAGE, '').trim() }
}

/** Explains an error of ripgrep in terms of the query. */
export function explainError(errorOutput: string, { pattern, type }: SearchQuery): string {
  const error = errorOutput.replace(/^rg: /gm, '')
  if (/unrecognized file type/.test(error)) {
    return `There is no file type ${quote(type)}; use a glob instead, such as "*.${type}".`
  }
  if (/is not allowed in a regex/.test(error) && /multiline/.test(error)) {
    return `The pattern ${quote(pattern)} spans several lines; set multiline to true.`
  }
  if (/exceeds size limit/.test(error)) {
    return `The pattern ${quote(pattern)} is too large: its repetitions, such as {1000}, multiply. Use smaller ones.`
  }
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) {
    return `The pattern ${quote(pattern)} ends with a single backslash. To match a backslash, send two of them: ${quote(`${pattern}\\`)}.`
  }
  const [, problem] = /error: (.*)/.exec(error) ?? /PCRE2: (.*)/.exec(error) ?? []
  if (problem === undefined) return `The search failed: ${error}`
  return `The pattern ${quote(pattern)} is not a valid regular expression: ${problem}. To search for the literal text, put a backslash before each of \\ . + * ? ( ) | [ ] { } ^ $.`
}

/** Folders with files that block forever or expose memory, such as /proc/kcore. */
const ENDLESS_FOLDER = /^\/(?:proc|sys\/kernel)(?:\/|$)/

/** Refuses to search folders such as /proc. Single files in them can be searched by name. */
export function refuseEndless(path: string, { realPath, isFolder }: SearchRoot): void {
  if (!isEndlessFile(realPath) && !(isFolder && ENDLESS_FOLDER.test(realPath))) return
  throw new SearchError(
    `${path} is a device or a part of the running system: searching it could block or never end. If you need its content, use a command that reads a bounded part of it.`,
  )
}
