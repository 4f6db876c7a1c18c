import { posix, win32 } from 'node:path'
import { isPathResource, isSameResource, type Resource } from '../../contract/resources.js'
import { THING_KEY } from './claim-keys.js'
import { type Statement, WINDOWS_PATH } from './stated-resources.js'

/** What a call holds while it runs, each thing by the keys that every other name of it has, too. */
export type Claims =
  | { readonly kind: 'everything'; readonly isExclusive: boolean }
  | { readonly kind: 'listed'; readonly reads: readonly string[]; readonly writes: readonly string[] }

/** Where names are looked up. */
export interface NamePlace {
  readonly cwd: string
  /** One name for a file that can be reached by several, through links or letter case. */
  readonly identify?: ((path: string) => string) | undefined
  /** A further name that a file shares with its hard links; undefined where it has none. */
  readonly hardLinkName?: ((path: string) => string | undefined) | undefined
}

export const EXCLUSIVE = { kind: 'everything', isExclusive: true } as const
export const SHARED = { kind: 'everything', isExclusive: false } as const

/** What the names that a call states mean now: after a link was moved or the folder changed they may mean something else. */
export function claimsOf(statement: Statement, place: NamePlace): Claims {
  if (statement.kind === 'everything') return statement.isExclusive ? EXCLUSIVE : SHARED
  const { reads, writes } = statement
  try {
    if (areSeveral(reads, writes) && writes.some((each) => isPathResource(each) && isLink(each.path, place)))
      return EXCLUSIVE
    return {
      kind: 'listed',
      reads: [
        ...reads.flatMap((each) => keysOf(each, place)),
        ...[...reads, ...writes]
          .filter(isPathResource)
          .flatMap(({ path }) => steppedOut(path))
          .flatMap((path) => pathKeys(path, place)),
      ],
      writes: writes.flatMap((each) => keysOf(each, place)),
    }
  } catch {
    // What cannot be looked up may be anything.
    return EXCLUSIVE
  }
}

/** Who edits a file reads and writes one path. */
function areSeveral(reads: readonly Resource[], writes: readonly Resource[]): boolean {
  const [first] = writes
  return first !== undefined && [...writes, ...reads].some((each) => !isSameResource(each, first))
}

/** Who writes a link and another path may move the link there, and what is then reached through it cannot be told before. */
function isLink(name: string, { cwd, identify }: NamePlace): boolean {
  if (identify === undefined) return false
  const { resolve, join, dirname, basename } = pathsOf(cwd)
  const written = resolve(cwd, name)
  const real = identify(written)
  if (real === written) return false
  const inItsFolder = join(identify(dirname(written)), basename(written))
  return real !== inItsFolder && real !== inItsFolder.toLowerCase()
}

function keysOf(resource: Resource, place: NamePlace): readonly string[] {
  return isPathResource(resource) ? pathKeys(resource.path, place) : [THING_KEY + resource.thing]
}

/** A path both as it is written and as what it leads to: a call that is under way may just be taking the link away. */
function pathKeys(name: string, { cwd, identify, hardLinkName }: NamePlace): readonly string[] {
  const { resolve, isAbsolute, sep } = pathsOf(cwd)
  const written = resolve(cwd, name)
  if (identify === undefined) return [keyOf(written, cwd)]
  const keys = new Set([keyOf(written, cwd), keyOf(identify(written), cwd)])
  // The system follows a link before it steps out of it again.
  if (STEP_OUT.test(name)) keys.add(keyOf(identify(isAbsolute(name) ? name : cwd + sep + name), cwd))
  const shared = hardLinkName?.(written)
  if (shared !== undefined) keys.add(shared)
  return [...keys]
}

const STEP_OUT = /(?:^|[\\/])\.\.(?:[\\/]|$)/

/** The folders that a path enters only to leave them: `sub` in `sub/../file`, which has to be there all the same. */
function steppedOut(name: string): readonly string[] {
  if (!STEP_OUT.test(name)) return []
  const parts = name.split(/[\\/]/)
  const entered = parts.flatMap((part, at) => (part === '..' ? [parts.slice(0, at)] : []))
  return entered.filter((path) => path.some((part) => !/^\.{0,2}$/.test(part))).map((path) => path.join('/'))
}

/** Parts are joined by slashes, and the root is no text at all. */
function keyOf(path: string, cwd: string): string {
  const slashed = WINDOWS_PATH.test(cwd) ? path.replaceAll('\\', '/') : path
  return slashed.endsWith('/') ? slashed.slice(0, -1) : slashed
}

function pathsOf(cwd: string): typeof posix {
  return WINDOWS_PATH.test(cwd) ? win32 : posix
}
