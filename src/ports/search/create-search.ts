import {
  SearchError,
  type SearchPort,
  type SearchQuery,
  type SearchResult,
  type UnsearchedFile,
} from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { formatLines, isBinaryMatch, parseFoundLines, readPrintedRecords } from './content-lines.js'
import { compileGlob, createSiblingIgnoreRules } from './glob-expression.js'
import { createPathFilter, type PathFilter, sortNewestFirst } from './glob-files.js'
import { openRoot, type SearchRoot } from './open-root.js'
import { runRipgrep, withIgnoreRules } from './run-ripgrep.js'
import { createSearchArguments } from './search-arguments.js'
import { explainError, findUnsearchedFiles, refuseEndless, type SplitErrors, splitErrors } from './unsearched-files.js'

/** The output limit for searches that must read everything before they can sort it. */
const MAX_OUTPUT_BYTES = 8 * 1024 ** 2

interface Search {
  readonly query: SearchQuery
  readonly root: SearchRoot
  readonly signal: AbortSignal | undefined
  readonly shouldKeep: PathFilter | undefined
  /** Ignore rules for folders in which nothing can match. */
  readonly rules: readonly string[]
}

/** The search port, implemented with ripgrep. */
export function createSearch(): SearchPort {
  return {
    async search(query, { signal } = {}) {
      const { glob, isHidden } = query
      const globPattern = glob === undefined || glob.startsWith('!') ? undefined : compileGlob(glob)
      const root = await openRoot(query.path, query.cwd)
      const shouldKeep = createPathFilter(root, globPattern, isHidden)
      try {
        await refuseEndless(query.path, root.isFolder)
        const siblingRules = globPattern === undefined ? '' : createSiblingIgnoreRules(glob ?? '')
        return await withIgnoreRules(siblingRules, (rules) =>
          SEARCHES[query.output]({ query, root, signal, shouldKeep, rules }),
        )
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
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const first = await collect(search, { maxBytes: MAX_OUTPUT_BYTES })
  // Files are searched in parallel, so the order is certain only when the output is complete.
  const { output, wasStopped, unsearched } = first.wasStopped ? await collectInOrder(search, offset + limit) : first
  const lines = parseFoundLines(output, root, shouldKeep)
  if (lines.length === 0 && isBinaryMatch(output)) return createBinaryMatchResult(root)
  const shown = lines.slice(offset, offset + limit)
  const more = wasStopped ? 'unknown' : Math.max(0, lines.length - offset - shown.length)
  return { text: formatLines(shown, query), entries: shown.length, more, ...toUnsearchedField(unsearched) }
}

function createBinaryMatchResult(root: SearchRoot): SearchResult {
  return { text: `${root.show(Buffer.alloc(0))}: binary file matches`, entries: 1, more: 0 }
}

async function searchFiles(search: Search): Promise<SearchResult> {
  const { query, root, signal, shouldKeep } = search
  const { output, unsearched } = await collect(search, { maxBytes: Number.POSITIVE_INFINITY })
  const files: { readonly shown: string; readonly filePath: string | Buffer }[] = []
  for (const { path } of readPrintedRecords(output)) {
    if (shouldKeep === undefined || shouldKeep(path))
      files.push({ shown: root.show(path), filePath: root.filePathOf(path) })
  }
  const newest = await sortNewestFirst(files, signal)
  return {
    ...toPage(
      newest.map(({ shown }) => shown),
      query,
    ),
    ...toUnsearchedField(unsearched),
  }
}

async function countMatches(search: Search): Promise<SearchResult> {
  const { query, root, shouldKeep } = search
  const { output, unsearched } = await collect(search, { maxBytes: Number.POSITIVE_INFINITY })
  const counts: string[] = []
  for (const { path, rest } of readPrintedRecords(output)) {
    if (shouldKeep === undefined || shouldKeep(path)) counts.push(`${root.show(path)}:${rest.toString('latin1')}`)
  }
  return { ...toPage(counts.sort(compareCodeUnits), query), ...toUnsearchedField(unsearched) }
}

function toPage(
  entries: readonly string[],
  { offset = 0, limit = Number.POSITIVE_INFINITY }: SearchQuery,
): SearchResult {
  const shown = entries.slice(offset, offset + limit)
  return { text: shown.join('\n'), entries: shown.length, more: Math.max(0, entries.length - offset - shown.length) }
}

function toUnsearchedField(unsearched: readonly UnsearchedFile[]): Pick<SearchResult, 'unsearched'> {
  return unsearched.length === 0 ? {} : { unsearched }
}

interface Output {
  readonly output: Buffer
  readonly wasStopped: boolean
  readonly unsearched: readonly UnsearchedFile[]
}

interface CollectOptions {
  readonly maxBytes: number
  readonly isEnough?: (chunk: Buffer) => boolean
  readonly moreArguments?: readonly string[]
}

/** Look-around and back-references need the slower engine, which is used only for them. */
async function collect(search: Search, options: CollectOptions): Promise<Output> {
  const first = await collectOnce(search, options)
  const { output, wasStopped, files, queryErrors } = first.queryErrors.includes('--pcre2')
    ? await collectOnce(search, options, ['--pcre2'])
    : first
  if (queryErrors !== '' && !wasStopped) throw new SearchError(explainError(queryErrors, search.query))
  return { output, wasStopped, unsearched: findUnsearchedFiles(files, search.root, search.shouldKeep) }
}

async function collectOnce(
  { query, root, signal, rules }: Search,
  { maxBytes, isEnough, moreArguments = [] }: CollectOptions,
  engine: readonly string[] = [],
): Promise<Omit<Output, 'unsearched'> & SplitErrors> {
  const chunks: Buffer[] = []
  let length = 0
  const args = [...moreArguments, ...rules, ...createSearchArguments(query), ...engine, ...root.arguments]
  const { errorOutput, wasStopped } = await runRipgrep(args, {
    cwd: root.cwd,
    descriptor: root.descriptor,
    signal,
    take(chunk) {
      chunks.push(chunk)
      length += chunk.length
      return length <= maxBytes && isEnough?.(chunk) !== true
    },
  })
  return { ...splitErrors(errorOutput), wasStopped, output: Buffer.concat(chunks) }
}

/** Slower, because files are searched one after the other, but it stops after this many lines. */
function collectInOrder(search: Search, lineCount: number): Promise<Output> {
  let lines = 0
  // With a filter, printed lines may still be dropped, so they do not count as results.
  const canCount = search.shouldKeep === undefined
  const isEnough = (chunk: Buffer) => {
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines++
    return canCount && lines > lineCount
  }
  return collect(search, { maxBytes: MAX_OUTPUT_BYTES * 8, isEnough, moreArguments: ['--sort=path'] })
}
