import {
  SearchError,
  type SearchPort,
  type SearchQuery,
  type SearchResult,
  type UnsearchedFile,
} from '../../contract/ports/search.js'
import { compareCodeUnits } from '../../shared/compare-code-units.js'
import { formatLines, foundLines, isBinaryMatch, printedRecords } from './content-lines.js'
import { globExpression, siblingIgnoreRules } from './glob-expression.js'
import { type KeepPath, keepPath, newestFirst } from './glob-files.js'
import { openRoot, type SearchRoot } from './open-root.js'
import { runRipgrep, withIgnoreRules } from './run-ripgrep.js'
import { searchArguments } from './search-arguments.js'
import { explainError, refuseEndless, type SplitErrors, splitErrors, unsearchedFiles } from './unsearched-files.js'

/** The output limit for searches that must read everything before they can sort it. */
const MAX_OUTPUT_BYTES = 8 * 1024 ** 2

interface Search {
  readonly query: SearchQuery
  readonly root: SearchRoot
  readonly signal: AbortSignal | undefined
  readonly keeps: KeepPath | undefined
  /** Ignore rules for folders in which nothing can match. */
  readonly rules: readonly string[]
}

/** The search port, implemented with ripgrep. */
export function createSearch(): SearchPort {
  return {
    async search(query, { signal } = {}) {
      const { glob, isHidden } = query
      const fits = glob === undefined || glob.startsWith('!') ? undefined : globExpression(glob)
      const root = await openRoot(query.path, query.cwd)
      const keeps = keepPath(root, fits, isHidden)
      try {
        await refuseEndless(query.path, root.isFolder)
        const beside = fits === undefined ? '' : siblingIgnoreRules(glob ?? '')
        return await withIgnoreRules(beside, (rules) => RUNS[query.output]({ query, root, signal, keeps, rules }))
      } finally {
        await root.close()
      }
    },
  }
}

const RUNS: Readonly<Record<SearchQuery['output'], (search: Search) => Promise<SearchResult>>> = {
  content: searchContent,
  files: searchFiles,
  count: countMatches,
}

async function searchContent(search: Search): Promise<SearchResult> {
  const { query, root, keeps } = search
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = query
  const first = await collect(search, { maxBytes: MAX_OUTPUT_BYTES })
  // Files are searched in parallel, so the order is certain only when the output is complete.
  const { output, wasStopped, unsearched } = first.wasStopped ? await collectInOrder(search, offset + limit) : first
  const lines = foundLines(output, root, keeps)
  if (lines.length === 0 && isBinaryMatch(output)) return binaryMatch(root)
  const shown = lines.slice(offset, offset + limit)
  const more = wasStopped ? 'unknown' : Math.max(0, lines.length - offset - shown.length)
  return { text: formatLines(shown, query), entries: shown.length, more, ...given(unsearched) }
}

function binaryMatch(root: SearchRoot): SearchResult {
  return { text: `${root.show(Buffer.alloc(0))}: binary file matches`, entries: 1, more: 0 }
}

async function searchFiles(search: Search): Promise<SearchResult> {
  const { query, root, signal, keeps } = search
  const { output, unsearched } = await collect(search, { maxBytes: Number.POSITIVE_INFINITY })
  const files: { readonly shown: string; readonly place: string | Buffer }[] = []
  for (const { path } of printedRecords(output)) {
    if (keeps === undefined || keeps(path)) files.push({ shown: root.show(path), place: root.place(path) })
  }
  const newest = await newestFirst(files, signal)
  return {
    ...page(
      newest.map(({ shown }) => shown),
      query,
    ),
    ...given(unsearched),
  }
}

async function countMatches(search: Search): Promise<SearchResult> {
  const { query, root, keeps } = search
  const { output, unsearched } = await collect(search, { maxBytes: Number.POSITIVE_INFINITY })
  const counts: string[] = []
  for (const { path, rest } of printedRecords(output)) {
    if (keeps === undefined || keeps(path)) counts.push(`${root.show(path)}:${rest.toString('latin1')}`)
  }
  return { ...page(counts.sort(compareCodeUnits), query), ...given(unsearched) }
}

function page(entries: readonly string[], { offset = 0, limit = Number.POSITIVE_INFINITY }: SearchQuery): SearchResult {
  const shown = entries.slice(offset, offset + limit)
  return { text: shown.join('\n'), entries: shown.length, more: Math.max(0, entries.length - offset - shown.length) }
}

function given(unsearched: readonly UnsearchedFile[]): Pick<SearchResult, 'unsearched'> {
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
  readonly more?: readonly string[]
}

/** Look-around and back-references need the slower engine, which is used only for them. */
async function collect(search: Search, options: CollectOptions): Promise<Output> {
  const first = await collectOnce(search, options)
  const { output, wasStopped, files, rest } = first.rest.includes('--pcre2')
    ? await collectOnce(search, options, ['--pcre2'])
    : first
  if (rest !== '' && !wasStopped) throw new SearchError(explainError(rest, search.query))
  return { output, wasStopped, unsearched: unsearchedFiles(files, search.root, search.keeps) }
}

async function collectOnce(
  { query, root, signal, rules }: Search,
  { maxBytes, isEnough, more = [] }: CollectOptions,
  engine: readonly string[] = [],
): Promise<Omit<Output, 'unsearched'> & SplitErrors> {
  const chunks: Buffer[] = []
  let length = 0
  const args = [...more, ...rules, ...searchArguments(query), ...engine, ...root.arguments]
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

/** Slower, because files are searched one after the other, but it stops after the wanted lines. */
function collectInOrder(search: Search, wanted: number): Promise<Output> {
  let lines = 0
  // Filtering afterwards changes how many lines remain.
  const isCounted = search.keeps === undefined
  const isEnough = (chunk: Buffer) => {
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines++
    return isCounted && lines > wanted
  }
  return collect(search, { maxBytes: MAX_OUTPUT_BYTES * 8, isEnough, more: ['--sort=path'] })
}
