import { posix, win32 } from 'node:path'
import { NAMED_THING, type Statement, WINDOWS_PATH } from './stated-resources.js'

/** What a call holds while it runs, each thing by the keys that every other name of it has, too. */
export type Claims =
  | { readonly kind: 'everything'; readonly isExclusive: boolean }
  | { readonly kind: 'listed'; readonly reads: readonly string[]; readonly writes: readonly string[] }

/** Where names are looked up. */
export interface NamePlace {
  readonly cwd: string
  /** One name for a file that can be reached by several, through links or letter case. */
  readonly identify?: ((path: string) => string) | undefined
}

export const EXCLUSIVE = { kind: 'everything', isExclusive: true } as const
export const SHARED = { kind: 'everything', isExclusive: false } as const

/** What the names that a call states mean now: after a link was moved or the folder changed they may mean something else. */
export function claimsOf(statement: Statement, place: NamePlace): Claims {
  if (statement.kind === 'everything') return statement.isExclusive ? EXCLUSIVE : SHARED
  try {
    return {
      kind: 'listed',
      reads: statement.reads.flatMap((name) => keysOf(name, place)),
      writes: statement.writes.flatMap((name) => keysOf(name, place)),
    }
  } catch {
    // What cannot be looked up may be anything.
    return EXCLUSIVE
  }
}

/**
 * A path both as it is written and as what it leads to: a call that is under way may just be taking the link away.
 * `todo:list` is a thing and could be a file, so that it counts as both.
 */
function keysOf(name: string, { cwd, identify }: NamePlace): readonly string[] {
  const isWindows = WINDOWS_PATH.test(cwd)
  const written = (isWindows ? win32 : posix).resolve(cwd, name)
  const real = identify?.(written) ?? written
  const keys = real === written ? [keyOf(written, isWindows)] : [keyOf(written, isWindows), keyOf(real, isWindows)]
  return NAMED_THING.test(name) ? [name, ...keys] : keys
}

/** Parts are joined by slashes, and the root is no text at all. */
function keyOf(path: string, isWindows: boolean): string {
  const slashed = isWindows ? path.replaceAll('\\', '/') : path
  return slashed.endsWith('/') ? slashed.slice(0, -1) : slashed
}
