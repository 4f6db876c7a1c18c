import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isNetworkShare } from '../../shared/network-share.js'
import { isPathInside } from '../../shared/path-containment.js'
import { joinPath, leaveFolder, normalisePath, shortPath, splitPath } from './normalise-path.js'
import type { Place } from './place.js'

/** What the file system says about one path, whether or not anything is there yet. */
interface PathLook {
  /** The path with every symlink resolved as far as it exists; a dangling link is followed to where it points. */
  readonly realPath: string
  readonly isFolder: boolean
  /** Whether names that differ only in letter case mean the same file here. */
  readonly isCaseInsensitive: boolean
}

/**
 * The only way in which permission decisions see the file system. Paths given are absolute and normalised:
 * no `..`, no doubled slash, forward slashes on every platform, never a network share.
 */
export interface PathFacts {
  look(path: string): MaybePromise<PathLook>
}

/** Looks at each path once for a decision; undefined where the file system gives no answer. */
export type Lookup = (path: string) => Promise<PathLook | undefined>

export function createLookup(facts: PathFacts): Lookup {
  let known: Map<string, Promise<PathLook | undefined>> | undefined
  return (path) => {
    known ??= new Map()
    let look = known.get(path)
    if (look === undefined) {
      look = lookOnce(facts, path)
      known.set(path, look)
    }
    return look
  }
}

async function lookOnce(facts: PathFacts, path: string): Promise<PathLook | undefined> {
  if (isNetworkShare(path)) return undefined
  try {
    const look = await facts.look(path)
    return typeof look?.realPath === 'string' ? look : undefined
  } catch {
    // A path that cannot be looked at is one that cannot be judged: the caller asks.
    return undefined
  }
}

/** A path that a call touches, as a tool or an analysis wrote it. */
export interface TouchedPath {
  readonly written: string
  /** The call touches whatever lies below. */
  readonly isFolder: boolean
}

/** A path with everything that decides what may be done there. */
export interface JudgedPath {
  readonly written: string
  /** Every absolute path that this may be: as text, and with links resolved. The strictest of them counts. */
  readonly forms: readonly string[]
  readonly isFolder: boolean
  readonly isCaseInsensitive: boolean
  /** A protected folder that lies in this one; looked for only where the folder is written. */
  readonly holds?: string
  /** Why the path could not be judged; nothing but a person's answer gets past this. */
  readonly problem?: string
}

/** Finds what a path really is: the link and its target, `..` by the text and by the links before it, `~` both ways. */
export async function judgePath(touched: TouchedPath, place: Place, lookup: Lookup): Promise<JudgedPath> {
  const { written } = touched
  const spellings = await Promise.all(readings(written, place).map((text) => judgeReading(text, place, lookup)))
  const problem = spellings.find((spelling) => spelling.problem !== undefined)?.problem
  return {
    written,
    forms: [...new Set(spellings.flatMap(({ forms }) => forms))],
    isFolder: touched.isFolder || spellings.some(({ isFolder }) => isFolder),
    isCaseInsensitive: spellings.some(({ isCaseInsensitive }) => isCaseInsensitive),
    ...(problem !== undefined && { problem }),
  }
}

/** Whether a tool expands `~` is its own business, so both meanings are judged. */
function readings(written: string, { homeDir }: Place): readonly string[] {
  if (written !== '~' && !/^~[\\/]/.test(written)) return [written]
  return [`./${written}`, homeDir + written.slice(1)]
}

async function judgeReading(text: string, place: Place, lookup: Lookup): Promise<Omit<JudgedPath, 'written'>> {
  const { path, steps, problem } = normalisePath(text, place)
  if (problem !== undefined) return { forms: [path], isFolder: false, isCaseInsensitive: true, problem }
  const look = await lookup(path)
  const behindLinks = await resolveSteps(steps, place, lookup)
  const behindLook = behindLinks === undefined ? undefined : await lookup(behindLinks)
  if (look === undefined || behindLook === undefined) {
    const why = `${shortPath(text)} could not be looked up`
    return { forms: [path], isFolder: false, isCaseInsensitive: true, problem: why }
  }
  const looks = [look, behindLook]
  return {
    forms: [path, ...looks.map(({ realPath }) => toSlashes(realPath, place))],
    isFolder: looks.some(({ isFolder }) => isFolder),
    isCaseInsensitive: looks.some(({ isCaseInsensitive }) => isCaseInsensitive),
  }
}

/** Follows `..` as the system does: from where the links before it lead, not from where the text stands. */
async function resolveSteps(steps: readonly string[], place: Place, lookup: Lookup): Promise<string | undefined> {
  let names: string[] = []
  for (const step of steps) {
    if (step !== '..') {
      names.push(step)
      continue
    }
    const look = await lookup(joinPath(names))
    if (look === undefined) return undefined
    names = splitPath(toSlashes(look.realPath, place))
    leaveFolder(names)
  }
  return joinPath(names)
}

export function toSlashes(path: string, { platform }: Pick<Place, 'platform'>): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string, isCaseInsensitive: boolean): boolean {
  return isPathInside(path, folder, { isCaseInsensitive })
}
