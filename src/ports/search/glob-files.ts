import type { GlobOptions } from '../../contract/ports/files.js'
import { SearchError } from '../../contract/ports/search.js'
import { changedAt } from './changed-at.js'
import { globExpression, nameGlob } from './glob-expression.js'
import { type KeepPath, keepPath } from './keep-path.js'
import { openRoot, type SearchRoot } from './open-root.js'
import { COMMON_ARGUMENTS, runRipgrep } from './run-ripgrep.js'

export interface GlobResult {
  readonly paths: readonly string[]
  readonly more: number
}

/** Files that fit a pattern, newest first. */
export async function globFiles(
  folder: string,
  pattern: string,
  { limit, signal, isHidden }: GlobOptions & { readonly limit: number },
): Promise<GlobResult> {
  const fits = pathTest(pattern)
  const root = await openRoot(folder, undefined)
  try {
    const list = new NewestPaths(root, limit, keepPath(root, fits, isHidden))
    // Not sorted by ripgrep, which would then use one thread alone and look at files that do not fit.
    const args = [...COMMON_ARGUMENTS, '--files', '--null', ...nameArguments(pattern)]
    const { complaint } = await runRipgrep([...args, ...root.arguments], {
      cwd: root.cwd,
      descriptor: root.descriptor,
      signal,
      take: (chunk) => list.take(chunk),
    })
    if (complaint !== '') throw new SearchError(complaint)
    return list.result()
  } finally {
    await root.close()
  }
}

const OWN_TYPE = 'haftname'

/** A glob given as such would bring back what is ignored; a type of files does not. */
export function nameArguments(pattern: string): readonly string[] {
  const name = nameGlob(pattern)
  return name === undefined ? [] : ['--type-add', `${OWN_TYPE}:${name}`, '--type', OWN_TYPE]
}

/** Undefined where ripgrep has seen to it already. */
function pathTest(pattern: string): RegExp | undefined {
  const expression = globExpression(pattern)
  const isNameOnly = !pattern.replace(/^(?:\*\*\/)+/, '').includes('/')
  return isNameOnly && nameGlob(pattern) !== undefined ? undefined : expression
}

interface DatedPath {
  readonly path: Buffer
  readonly mtimeMs: number
}

/** Takes names that end with a zero byte, looks at each while more come, and keeps the newest. */
class NewestPaths {
  readonly #root: SearchRoot
  readonly #limit: number
  readonly #keeps: KeepPath | undefined
  #newest: DatedPath[] = []
  #count = 0
  #rest: Buffer = Buffer.alloc(0)

  constructor(root: SearchRoot, limit: number, keeps: KeepPath | undefined) {
    this.#root = root
    this.#limit = limit
    this.#keeps = keeps
  }

  take(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, start)) {
      this.#add(bytes.subarray(start, end))
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    return true
  }

  result(): GlobResult {
    this.#dropOldest()
    const paths = this.#newest.map(({ path }) => this.#root.show(path))
    return { paths, more: this.#count - paths.length }
  }

  #add(path: Buffer): void {
    if (this.#keeps?.(path) === false) return
    this.#count++
    this.#newest.push({ path, mtimeMs: changedAt(this.#root.place(path)) })
    if (this.#newest.length > this.#limit * 8 + 1_000) this.#dropOldest()
  }

  #dropOldest(): void {
    this.#newest.sort((a, b) => b.mtimeMs - a.mtimeMs || a.path.compare(b.path))
    // Copied, because a piece of a chunk keeps all of it.
    this.#newest = this.#newest.slice(0, this.#limit).map(({ path, mtimeMs }) => ({ path: Buffer.from(path), mtimeMs }))
  }
}
