import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { GlobOptions, GlobResult } from '../../contract/ports/files.js'
import { SearchError } from '../../contract/ports/search.js'
import { runStepsInSlices } from '../../shared/steps.js'
import { findDoubtfulFiles, openFoundFile, toKey } from './confirm-found.js'
import { compileGlob, createSiblingIgnoreRules, toNameGlob } from './glob-expression.js'
import { openRoot, type SearchRoot } from './open-root.js'
import { COMMON_ARGUMENTS, DEFAULT_SEARCH_TIME_MS, runRipgrep, withIgnoreRules } from './run-ripgrep.js'

/** Finds files that match a pattern, newest first. */
export async function globFiles(
  folder: string,
  pattern: string,
  {
    limit,
    signal,
    stopSignal,
    isHidden,
    realPath,
    timeLimitMs = DEFAULT_SEARCH_TIME_MS,
  }: GlobOptions & { readonly limit: number; readonly timeLimitMs?: number },
): Promise<GlobResult> {
  const startMs = Date.now()
  const root = await openRoot(folder, undefined, realPath)
  try {
    // ripgrep's own sort uses one thread and also stats files that do not match, so it is faster only if every file matches.
    const isSorted = MATCH_ALL_GLOB.test(pattern)
    let order = 0
    const list = new NewestPaths(root, {
      limit,
      shouldKeep: createPathFilter(root, compilePathTest(pattern), isHidden),
      readDate: isSorted ? () => --order : (path) => readModificationTime(root.toFilePath(path)),
    })
    const sortArguments = isSorted ? ['--sortr=modified'] : []
    const args = [...COMMON_ARGUMENTS, '--files', '--null', ...sortArguments, ...createNameArguments(pattern)]
    const take = (chunk: Buffer) => list.take(chunk)
    const run = { cwd: root.cwd, descriptor: root.descriptor, signal, stopSignal, take, timeLimitMs }
    const { errorOutput, wasStopped } = await withIgnoreRules(createSiblingIgnoreRules(pattern), (rules) =>
      runRipgrep([...rules, ...args, ...root.arguments], run),
    )
    if (errorOutput !== '' && !wasStopped) throw new SearchError(errorOutput)
    return { ...(await list.finish(startMs)), ...(wasStopped && { isIncomplete: true }) }
  } finally {
    await root.close()
  }
}

const MATCH_ALL_GLOB = /^(?:\*\*\/)*\*{1,2}$/
const FILE_TYPE_NAME = 'haftname'

/** Selects names with a file type, because a `--glob` would override ignore files. */
export function createNameArguments(pattern: string): readonly string[] {
  const name = toNameGlob(pattern)
  return name === undefined ? [] : ['--type-add', `${FILE_TYPE_NAME}:${name}`, '--type', FILE_TYPE_NAME]
}

/** Returns the expression that paths must match; undefined if the arguments of ripgrep are enough. */
function compilePathTest(pattern: string): RegExp | undefined {
  const expression = compileGlob(pattern)
  const isNameOnly = !pattern.replace(/^(?:\*\*\/)+/, '').includes('/')
  return MATCH_ALL_GLOB.test(pattern) || (isNameOnly && toNameGlob(pattern) !== undefined) ? undefined : expression
}

interface DatedPath {
  readonly path: Buffer
  readonly date: number
}

interface NewestOptions {
  readonly limit: number
  readonly shouldKeep: PathFilter | undefined
  /** Returns a number that is greater for newer files. */
  readonly readDate: (path: Buffer) => number
}

/** Receives chunks of NUL-terminated paths, looks up the time of each path, and keeps the newest. */
class NewestPaths {
  readonly #root: SearchRoot
  readonly #options: NewestOptions
  #newestPaths: DatedPath[] = []
  #count = 0
  #incompleteName: Buffer = Buffer.alloc(0)

  constructor(root: SearchRoot, options: NewestOptions) {
    this.#root = root
    this.#options = options
  }

  take(chunk: Buffer): boolean {
    const bytes = this.#incompleteName.length === 0 ? chunk : Buffer.concat([this.#incompleteName, chunk])
    let start = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.#add(bytes.subarray(start, end))
      start = end + 1
    }
    this.#incompleteName = bytes.subarray(start)
    return true
  }

  /** Returns the newest paths, without those that were replaced by a link during the search. */
  async finish(startMs: number): Promise<GlobResult> {
    this.#dropOldest()
    const foundPaths = this.#newestPaths.map(({ path }) => path)
    const doubtfulFiles = await runStepsInSlices(findDoubtfulFiles(this.#root, foundPaths, startMs))
    const paths: string[] = []
    for (const path of foundPaths)
      if (!doubtfulFiles.has(toKey(path)) || (await this.#isUnreplaced(path))) paths.push(this.#root.show(path))
    return { paths, more: this.#count - foundPaths.length }
  }

  async #isUnreplaced(path: Buffer): Promise<boolean> {
    const file = await openFoundFile(this.#root, path)
    await file?.close()
    return file !== undefined
  }

  #add(path: Buffer): void {
    const { shouldKeep, readDate, limit } = this.#options
    if (shouldKeep?.(path) === false) return
    this.#count++
    this.#newestPaths.push({ path, date: readDate(path) })
    if (this.#newestPaths.length > limit * 8 + 1_000) this.#dropOldest()
  }

  #dropOldest(): void {
    this.#newestPaths.sort((a, b) => b.date - a.date || a.path.compare(b.path))
    // Copied, because a slice would keep the whole chunk in memory.
    const newestPaths = this.#newestPaths.slice(0, this.#options.limit)
    this.#newestPaths = newestPaths.map(({ path, date }) => ({ path: Buffer.from(path), date }))
  }
}

/** How many files are looked up before yielding to the event loop. */
const BATCH_SIZE = 2_000

/** Sorts files by modification time, then by path. Files that have been removed come last. */
export async function sortNewestFirst<T extends { readonly filePath: string | Buffer; readonly shownPath: string }>(
  files: readonly T[],
  signal: AbortSignal | undefined,
): Promise<readonly T[]> {
  const datedPaths: { readonly file: T; readonly mtimeMs: number }[] = []
  for (let start = 0; start < files.length; start += BATCH_SIZE) {
    if (start > 0) await setImmediate()
    signal?.throwIfAborted()
    for (const file of files.slice(start, start + BATCH_SIZE)) {
      datedPaths.push({ file, mtimeMs: readModificationTime(file.filePath) })
    }
  }
  datedPaths.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.file.shownPath < b.file.shownPath ? -1 : 1))
  return datedPaths.map(({ file }) => file)
}

/**
 * Returns the modification time; 0 if the file was removed or is not accessible. Synchronous, because for thousands of files
 * this is faster.
 */
function readModificationTime(filePath: string | Buffer): number {
  try {
    return statSync(filePath, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

/** Whether a path printed by ripgrep is part of the result. */
export type PathFilter = (printedPath: Buffer) => boolean

/** Creates the filter for conditions that ripgrep cannot check; undefined if there are none. */
export function createPathFilter(
  root: SearchRoot,
  globPattern: RegExp | undefined,
  isHidden: ((path: string) => boolean) | undefined,
): PathFilter | undefined {
  if (globPattern === undefined && isHidden === undefined) return undefined
  return (printedPath) => {
    if (globPattern !== undefined && !globPattern.test(root.toGlobName(printedPath))) return false
    return isHidden?.(root.toAbsolutePath(printedPath)) !== true
  }
}
