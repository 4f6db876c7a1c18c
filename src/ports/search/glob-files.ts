import type { GlobOptions } from '../../contract/ports/files.js'
import { SearchError } from '../../contract/ports/search.js'
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
    const list = new PathList(root, limit, keepPath(root, fits, isHidden))
    const args = [...COMMON_ARGUMENTS, '--files', '--null', '--sortr=modified', ...nameArguments(pattern)]
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
  return !pattern.includes('/') && nameGlob(pattern) !== undefined ? undefined : expression
}

/** Takes names that end with a zero byte, and keeps the first few. */
class PathList {
  readonly #root: SearchRoot
  readonly #limit: number
  readonly #keeps: KeepPath | undefined
  readonly #paths: string[] = []
  #more = 0
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
      this.#add(bytes, start, end)
      start = end + 1
    }
    this.#rest = bytes.subarray(start)
    return true
  }

  result(): GlobResult {
    return { paths: this.#paths, more: this.#more }
  }

  #add(bytes: Buffer, start: number, end: number): void {
    if (this.#keeps?.(bytes.subarray(start, end)) === false) return
    if (this.#paths.length < this.#limit) this.#paths.push(this.#root.show(bytes.subarray(start, end)))
    else this.#more++
  }
}
