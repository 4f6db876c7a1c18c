import {
  SearchError,
  type SearchPort,
  type SearchQuery,
  type SearchResult,
  type UnsearchedFile,
} from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { forEachInSlices } from '../../shared/for-each-in-slices.js'
import { runSteps, runStepsInSlices } from '../../shared/steps.js'
import { findDoubtfulFiles, openFoundFile, toKey } from './confirm-found.js'
import { formatLines, isBinaryMatch, parseFoundLines, readPrintedRecords } from './content-lines.js'
import { compileGlob, createSiblingIgnoreRules } from './glob-expression.js'
import { createPathFilter, type PathFilter, sortNewestFirst } from './glob-files.js'
import { openRoot, type SearchRoot } from './open-root.js'
import { DEFAULT_SEARCH_TIME_MS, runRipgrep, withIgnoreRules } from './run-ripgrep.js'
import { createSearchArguments } from './search-arguments.js'
import { explainError, findUnsearchedFiles, refuseEndless, type SplitErrors, splitErrors } from './unsearched-files.js'

/** The output limit for searches that must read everything before sorting. */
const MAX_OUTPUT_BYTES = 8 * 1024 ** 2
/** The maximum number of lines in a result, also of a search without a limit. */
const MAX_LINES = 50_000

interface Search {
  readonly query: SearchQuery
  readonly startMs: number
  readonly root: SearchRoot
  readonly signal: AbortSignal | undefined
  readonly stopSignal: AbortSignal | undefined
  readonly shouldKeep: PathFilter | undefined
  /** Ignore rules for folders that cannot contain a match. */
  readonly rules: readonly string[]
  /** The end of the search, in the time of `performance.now()`. */
  readonly deadline: number
}

/** Creates a search port that uses ripgrep. */
export function createSearch({ timeLimitMs = DEFAULT_SEARCH_TIME_MS } = {}): SearchPort {
  return {
    async search(query, { signal, stopSignal } = {}) {
      const { glob, isHidden } = query
      const startMs = Date.now()
      const globPattern = glob === undefined || glob.startsWith('!') ? undefined : compileGlob(glob)
      const root = await openRoot(query.path, query.cwd, query.realPath)
      const shouldKeep = createPathFilter(root, globPattern, isHidden)
      try {
        refuseEndless(query.path, root)
        const siblingRules = globPattern === undefined ? '' : createSiblingIgnoreRules(glob ?? '')
        const result = await withIgnoreRules(siblingRules, (rules) =>
          SEARCHES[query.output]({
            ...{ query, startMs, root, signal, stopSignal, shouldKeep, rules },
            deadline: performance.now() + timeLimitMs,
          }),
        )
        return root.isFolder ? result : { ...result, file: root.show(Buffer.alloc(0)) }
      } finally {
        await root.close()
      }
    },
  }
}

const SEARCHES: Readonly<Record<SearchQuery['output'], (search: Search) => Promise<SearchResult>>> = {
  content: searchContent,
  files: searchFiles,
  count: countMatches,
}

async function searchContent(search: Search): Promise<SearchResult> {
  const { query, root, shouldKeep } = search
  const { offset = 0 } = query
  const limit = Math.min(query.limit ?? MAX_LINES, MAX_LINES)
  const firstOutput = await collectOutput(search, { maxBytes: MAX_OUTPUT_BYTES })
  // Files are searched in parallel, so the order is certain only if the output is complete.
  const isTooLong = firstOutput.wasStopped && !firstOutput.isTimeUp
  const { output, wasStopped, unsearched } = isTooLong ? await collectInOrder(search, offset + limit) : firstOutput
  const maxLines = isTooLong ? offset + limit : undefined
  const lines = await runStepsInSlices(parseFoundLines(output, root, shouldKeep, maxLines), search.signal)
  if (lines.length === 0 && isBinaryMatch(output)) return createBinaryMatchResult(root)
  const page = lines.slice(offset, offset + limit)
  const more = isTooLong || wasStopped ? 'unknown' : Math.max(0, lines.length - offset - page.length)
  const confirmedEntries = await confirm(search, page, (repeatedSearch, { path, printedPath: printed }) => {
    const lineNumbers = new Set(page.flatMap((line) => (line.path === path ? line.number : [])))
    return runSteps(parseFoundLines(repeatedSearch.output, repeatedSearch.root, undefined)).flatMap((line) =>
      lineNumbers.has(line.number) ? { ...line, path, printed } : [],
    )
  })
  const entries = confirmedEntries.entries.length
  const text = await runStepsInSlices(formatLines(confirmedEntries.entries, query), search.signal)
  return { text, entries, more, ...toUnsearchedField([...unsearched, ...confirmedEntries.unsearched]) }
}

function createBinaryMatchResult(root: SearchRoot): SearchResult {
  return { text: `${root.show(Buffer.alloc(0))}: binary file matches`, entries: 1, more: 0 }
}

async function searchFiles(search: Search): Promise<SearchResult> {
  const { root, signal, shouldKeep } = search
  const searchOutput = await collectOutput(search, { maxBytes: Number.POSITIVE_INFINITY })
  const files: (FoundEntry & { readonly filePath: string | Buffer })[] = []
  await forEachInSlices(readPrintedRecords(searchOutput.output), ({ path }) => {
    if (shouldKeep === undefined || shouldKeep(path))
      files.push({ shownPath: root.show(path), printedPath: path, filePath: root.toFilePath(path) })
  })
  return toResult(search, await sortNewestFirst(files, signal), searchOutput)
}

async function countMatches(search: Search): Promise<SearchResult> {
  const { root, shouldKeep } = search
  const searchOutput = await collectOutput(search, { maxBytes: Number.POSITIVE_INFINITY })
  const counts: FoundEntry[] = []
  await forEachInSlices(readPrintedRecords(searchOutput.output), ({ path, content }) => {
    if (shouldKeep === undefined || shouldKeep(path))
      counts.push({ shownPath: root.show(path), printedPath: path, count: content.toString('latin1') })
  })
  const sortedEntries = counts.sort((a, b) => compareCodeUnits(a.shownPath, b.shownPath))
  return toResult(search, sortedEntries, searchOutput)
}

/** A file with matches, and for a count their number. */
interface FoundEntry {
  readonly shownPath: string
  readonly printedPath: Buffer
  readonly count?: string
}

function formatEntry({ shownPath, count }: FoundEntry): string {
  return count === undefined ? shownPath : `${shownPath}:${count}`
}

async function toResult(
  search: Search,
  foundEntries: readonly FoundEntry[],
  { isTimeUp, unsearched }: SearchOutput,
): Promise<SearchResult> {
  const { offset = 0 } = search.query
  const limit = Math.min(search.query.limit ?? MAX_LINES, MAX_LINES)
  const page = foundEntries.slice(offset, offset + limit)
  const { entries, unsearched: replacedFiles } = await confirm(search, page, ({ output }, entry) =>
    [...readPrintedRecords(output)].map(({ content }) =>
      entry.count === undefined ? entry : { ...entry, count: content.toString('latin1') },
    ),
  )
  return {
    text: entries.map(formatEntry).join('\n'),
    entries: entries.length,
    more: isTimeUp ? 'unknown' : Math.max(0, foundEntries.length - offset - page.length),
    ...toUnsearchedField([...unsearched, ...replacedFiles]),
  }
}

/** At most this many files are searched again. Only a program that keeps changing folders causes more. */
const MAX_REPEATED_FILES = 50

interface RepeatedSearch extends SearchOutput {
  readonly root: SearchRoot
}

/** Searches files again that another program may have replaced during the search. `read` returns their new entries. */
async function confirm<T extends { readonly printedPath: Buffer }>(
  search: Search,
  foundEntries: readonly T[],
  read: (repeatedSearch: RepeatedSearch, entry: T) => readonly T[],
): Promise<{ readonly entries: readonly T[]; readonly unsearched: readonly UnsearchedFile[] }> {
  const { query, root, startMs } = search
  const printedPaths = foundEntries.map(({ printedPath }) => printedPath)
  const doubtfulFiles = await runStepsInSlices(findDoubtfulFiles(root, printedPaths, startMs), search.signal)
  if (doubtfulFiles.size === 0) return { entries: foundEntries, unsearched: [] }
  const entries: T[] = []
  const repeatedFiles = new Set<string>()
  for (const entry of foundEntries) {
    const key = toKey(entry.printedPath)
    if (!doubtfulFiles.has(key)) entries.push(entry)
    if (!doubtfulFiles.has(key) || repeatedFiles.has(key)) continue
    repeatedFiles.add(key)
    if (repeatedFiles.size > MAX_REPEATED_FILES)
      return { entries, unsearched: [{ path: query.path, reason: 'too many folders changed during the search' }] }
    const file = await openFoundFile(root, entry.printedPath)
    // The file was replaced. It is not mentioned, because its name may be the name of a file in another folder.
    if (file === undefined) continue
    try {
      const output = await collectOutput({ ...search, root: file }, { maxBytes: MAX_OUTPUT_BYTES })
      entries.push(...read({ ...output, root: file }, entry))
    } finally {
      await file.close()
    }
  }
  return { entries, unsearched: [] }
}

function toUnsearchedField(unsearchedFiles: readonly UnsearchedFile[]): Pick<SearchResult, 'unsearched'> {
  return unsearchedFiles.length === 0 ? {} : { unsearched: unsearchedFiles }
}

interface SearchOutput {
  readonly output: Buffer
  readonly wasStopped: boolean
  /** Whether it was stopped before its end, at its time limit or by `stopSignal`. */
  readonly isTimeUp: boolean
  readonly unsearched: readonly UnsearchedFile[]
}

interface CollectOptions {
  readonly maxBytes: number
  readonly isEnough?: (chunk: Buffer) => boolean
  readonly extraArguments?: readonly string[]
}

/** Runs the search. The slower engine is used only if the pattern needs look-around or back-references. */
async function collectOutput(search: Search, options: CollectOptions): Promise<SearchOutput> {
  const firstOutput = await collectOnce(search, options)
  const { output, wasStopped, isTimeUp, files, queryErrors } = firstOutput.queryErrors.includes('--pcre2')
    ? await collectOnce(search, options, ['--pcre2'])
    : firstOutput
  if (queryErrors !== '' && !wasStopped) throw new SearchError(explainError(queryErrors, search.query))
  const unsearchedFiles = findUnsearchedFiles(files, search.root, search.shouldKeep)
  const isAborted = wasStopped && search.stopSignal?.aborted === true
  if (!isTimeUp && !isAborted) return { output, wasStopped, isTimeUp, unsearched: unsearchedFiles }
  const reason = isAborted
    ? 'the search was stopped'
    : 'the search was stopped because it took too long; narrow the path, or simplify the pattern'
  return { output, wasStopped, isTimeUp: true, unsearched: [{ path: search.query.path, reason }, ...unsearchedFiles] }
}

async function collectOnce(
  { query, root, signal, stopSignal, rules, deadline }: Search,
  { maxBytes, isEnough, extraArguments = [] }: CollectOptions,
  engineArguments: readonly string[] = [],
): Promise<Omit<SearchOutput, 'unsearched'> & SplitErrors> {
  const chunks: Buffer[] = []
  let length = 0
  const args = [...extraArguments, ...rules, ...createSearchArguments(query), ...engineArguments, ...root.arguments]
  const { errorOutput, wasStopped, isTimeUp } = await runRipgrep(args, {
    cwd: root.cwd,
    descriptor: root.descriptor,
    signal,
    stopSignal,
    timeLimitMs: Math.max(0, deadline - performance.now()),
    take(chunk) {
      chunks.push(chunk)
      length += chunk.length
      return length <= maxBytes && isEnough?.(chunk) !== true
    },
  })
  return { ...splitErrors(errorOutput), wasStopped, isTimeUp, output: Buffer.concat(chunks) }
}

/**
 * Collects lines in order. This is slower, because files are searched one after the other, but it stops after this many lines.
 */
function collectInOrder(search: Search, lineCount: number): Promise<SearchOutput> {
  let lines = 0
  // With a filter, a printed line may still be dropped, so lines cannot be counted here.
  const canCount = search.shouldKeep === undefined
  const isEnough = (chunk: Buffer) => {
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines++
    return canCount && lines > lineCount
  }
  return collectOutput(search, { maxBytes: MAX_OUTPUT_BYTES * 8, isEnough, extraArguments: ['--sort=path'] })
}
