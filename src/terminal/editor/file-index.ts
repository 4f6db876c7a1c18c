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
  #last: { query: string; indexes: readonly number[]; isComplete: boolean } | undefined

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
    this.#last = undefined
    this.#loading = undefined
  }

  /**
   * Returns the best matches. A path matches if it contains the letters of the query in order. Connected letters and
   * matches in the file name rank higher.
   */
  find(query: string, limit = 20): CompletionItem[] {
    const wanted = query.toLowerCase()
    const deadline = performance.now() + MAX_SEARCH_MS
    const previous = this.#last
    const isNarrower = previous?.isComplete === true && wanted.startsWith(previous.query)
    const candidates = isNarrower ? previous.indexes : undefined
    const count = candidates?.length ?? this.#paths.length
    const indexes: number[] = []
    const best: Match[] = []
    let isComplete = true
    for (let each = 0; each < count; each++) {
      if (each % CLOCK_INTERVAL === CLOCK_INTERVAL - 1 && performance.now() > deadline) {
        isComplete = false
        break
      }
      const index = candidates?.[each] ?? each
      const score = scorePath(this.#lowerPaths[index] ?? '', wanted)
      if (score === undefined) continue
      indexes.push(index)
      addBest(best, { path: this.#paths[index] ?? '', score }, limit)
    }
    this.#last = { query: wanted, indexes, isComplete }
    return best.map(({ path }) => ({ value: `@${path}` }))
  }

  async #read(paths: AsyncIterable<string> | Iterable<string>, onChange: () => void): Promise<void> {
    let count = 0
    for await (const path of paths) {
      if (this.#paths.length >= MAX_PATHS) break
      this.#paths.push(path)
      this.#lowerPaths.push(path.toLowerCase())
      count++
      if (count % SLICE_SIZE !== 0) continue
      this.#last = undefined
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.#last = undefined
    onChange()
  }
}

function addBest(best: Match[], match: Match, limit: number): void {
  const worst = best.at(-1)
  if (best.length >= limit && worst !== undefined && worst.score <= match.score) return
  const place = best.findIndex(({ score }) => score > match.score)
  best.splice(place === -1 ? best.length : place, 0, match)
  if (best.length > limit) best.pop()
}

/** Lower is better. Undefined if the path does not contain the letters in order. */
function scorePath(path: string, query: string): number | undefined {
  if (query === '') return path.length + 100 * countFolders(path)
  const nameStart = path.lastIndexOf('/', path.length - 2) + 1
  const inName = path.indexOf(query, nameStart)
  if (inName !== -1) return (inName === nameStart ? 0 : 1_000) + path.length
  const inPath = path.indexOf(query)
  if (inPath !== -1) return 2_000 + path.length
  let position = -1
  let gaps = 0
  for (const letter of query) {
    const next = path.indexOf(letter, position + 1)
    if (next === -1) return undefined
    if (next !== position + 1) gaps++
    position = next
  }
  return 3_000 + 100 * gaps + path.length
}

function countFolders(path: string): number {
  let count = 0
  for (let index = path.indexOf('/'); index !== -1; index = path.indexOf('/', index + 1)) count++
  return count
}
