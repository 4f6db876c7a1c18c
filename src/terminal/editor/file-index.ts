import type { CompletionItem } from './completion.js'

/** Paths are added in slices of this size, so that keys are handled between slices. */
const SLICE_SIZE = 2_000
/** A search ends after this time with the best paths found so far. */
const MAX_SEARCH_MS = 8
/** The clock is read once for this many paths. */
const CLOCK_INTERVAL = 512
const MAX_PATHS = 500_000

interface Match {
  readonly path: string
  readonly score: number
}

/** The files of the project, for completing `@path`. They are listed once, in the background. */
export class FileIndex {
  #paths: string[] = []
  #lowerPaths: string[] = []
  #loading: Promise<void> | undefined
  /** The last query and all its matches: a longer query can only match some of them. */
  #lastSearch: { query: string; indexes: readonly number[]; isComplete: boolean } | undefined

  /** Reads the list of files. `onChange` is called when the list is complete. */
  load(paths: AsyncIterable<string> | Iterable<string>, onChange: () => void = () => {}): Promise<void> {
    this.#loading ??= this.#read(paths, onChange)
    return this.#loading
  }

  get size(): number {
    return this.#paths.length
  }

  /** Empties the index. The next `load` lists the files again. */
  clear(): void {
    this.#paths = []
    this.#lowerPaths = []
    this.#lastSearch = undefined
    this.#loading = undefined
  }

  /**
   * Returns the best matches. A path matches if it contains the letters of the query in order. Consecutive letters and
   * matches in the file name rank higher.
   */
  find(query: string, limit = 20): CompletionItem[] {
    const lowerQuery = query.toLowerCase()
    const deadline = performance.now() + MAX_SEARCH_MS
    const lastSearch = this.#lastSearch
    const isNarrower = lastSearch?.isComplete === true && lowerQuery.startsWith(lastSearch.query)
    const candidates = isNarrower ? lastSearch.indexes : undefined
    const count = candidates?.length ?? this.#paths.length
    const indexes: number[] = []
    const bestMatches: Match[] = []
    let isComplete = true
    for (let position = 0; position < count; position++) {
      if (position % CLOCK_INTERVAL === CLOCK_INTERVAL - 1 && performance.now() > deadline) {
        isComplete = false
        break
      }
      const index = candidates?.[position] ?? position
      const score = scorePath(this.#lowerPaths[index] ?? '', lowerQuery)
      if (score === undefined) continue
      indexes.push(index)
      addBest(bestMatches, { path: this.#paths[index] ?? '', score }, limit)
    }
    this.#lastSearch = { query: lowerQuery, indexes, isComplete }
    return bestMatches.map(({ path }) => ({ value: `@${path}` }))
  }

  async #read(paths: AsyncIterable<string> | Iterable<string>, onChange: () => void): Promise<void> {
    let count = 0
    for await (const path of paths) {
      if (this.#paths.length >= MAX_PATHS) break
      this.#paths.push(path)
      this.#lowerPaths.push(path.toLowerCase())
      count++
      if (count % SLICE_SIZE !== 0) continue
      this.#lastSearch = undefined
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#lastSearch = undefined
    onChange()
  }
}

/** Adds a match to the list of the best ones, which is sorted by score. */
function addBest(matches: Match[], match: Match, limit: number): void {
  const worstMatch = matches.at(-1)
  if (matches.length >= limit && worstMatch !== undefined && worstMatch.score <= match.score) return
  const index = matches.findIndex(({ score }) => score > match.score)
  matches.splice(index === -1 ? matches.length : index, 0, match)
  if (matches.length > limit) matches.pop()
}

/** Returns the score of a path; lower is better. Undefined if the path does not contain the letters in order. */
function scorePath(path: string, query: string): number | undefined {
  if (query === '') return path.length + 100 * countFolders(path)
  const nameStart = path.lastIndexOf('/', path.length - 2) + 1
  const indexInName = path.indexOf(query, nameStart)
  if (indexInName !== -1) return (indexInName === nameStart ? 0 : 1_000) + path.length
  if (path.includes(query)) return 2_000 + path.length
  let position = -1
  let gaps = 0
  for (const letter of query) {
    const letterPosition = path.indexOf(letter, position + 1)
    if (letterPosition === -1) return undefined
    if (letterPosition !== position + 1) gaps++
    position = letterPosition
  }
  return 3_000 + 100 * gaps + path.length
}

function countFolders(path: string): number {
  let count = 0
  for (let index = path.indexOf('/'); index !== -1; index = path.indexOf('/', index + 1)) count++
  return count
}
