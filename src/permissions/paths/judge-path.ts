import type { FoundFiles } from '../../contract/command.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isPathInside } from '../../shared/path-containment.js'
import { isNetworkShare } from '../../shared/path-problem.js'
import { joinPath, leaveFolder, normalisePath, shortenPath, splitPath } from './normalise-path.js'
import type { Place } from './place.js'

/** What the file system reports about a path, which need not exist. */
interface PathLook {
  /** The path with every symbolic link resolved as far as it exists. A dangling link is followed to its target. */
  readonly realPath: string
  readonly isFolder: boolean
  /** Whether names that differ only in letter case are the same file. */
  readonly isCaseInsensitive: boolean
}

/**
 * The only access of permission decisions to the file system. Paths are absolute and normalised: no `..`, no repeated
 * slashes, forward slashes on every platform, never a network share.
 */
export interface PathFacts {
  look(path: string): MaybePromise<PathLook>
  /** Returns the symbolic links among the entries of a folder; undefined if there are too many entries, or one is not plain. */
  links?(folder: string, entries: LinkQuery): MaybePromise<readonly string[] | undefined>
}

/** Which entries of a folder are asked about. */
type LinkQuery = Omit<FoundFiles, 'folder'>

/** Looks up a path, once per decision. Resolves to undefined if the file system gives no answer. */
export type Lookup = (path: string) => Promise<PathLook | undefined>

/** Creates a lookup that caches the results of one decision. */
export function createLookup(facts: PathFacts): Lookup {
  let looksByPath: Map<string, Promise<PathLook | undefined>> | undefined
  return (path) => {
    looksByPath ??= new Map()
    let look = looksByPath.get(path)
    if (look === undefined) {
      look = lookOnce(facts, path)
      looksByPath.set(path, look)
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
    // A path that cannot be looked up cannot be judged: the caller asks the user.
    return undefined
  }
}

/** A path that a call touches, as given by the tool or the command analysis. */
export interface TouchedPath {
  /** The path as the tool or the command names it. */
  readonly originalPath: string
  /** The call touches everything below it. */
  readonly isFolder: boolean
}

/** A path with everything that a permission decision needs to know about it. */
export interface JudgedPath {
  readonly originalPath: string
  /** Every absolute path that this may be: as text, and with links resolved. The strictest one decides. */
  readonly forms: readonly string[]
  readonly isFolder: boolean
  readonly isCaseInsensitive: boolean
  /** A protected folder inside this one. Only looked up if the folder is written. */
  readonly protectedFolder?: string
  /** Why the path could not be judged. Only the user can allow such a call. */
  readonly problem?: string
}

/** Finds every meaning of a path: the link and its target, `..` before and after following links, `~` both ways. */
export async function judgePath(touched: TouchedPath, place: Place, lookup: Lookup): Promise<JudgedPath> {
  const { originalPath } = touched
  const meanings = await Promise.all(meaningsOf(originalPath, place).map((text) => judgeMeaning(text, place, lookup)))
  const problem = meanings.find((meaning) => meaning.problem !== undefined)?.problem
  return {
    originalPath,
    forms: [...new Set(meanings.flatMap(({ forms }) => forms))],
    isFolder: touched.isFolder || meanings.some(({ isFolder }) => isFolder),
    isCaseInsensitive: meanings.some(({ isCaseInsensitive }) => isCaseInsensitive),
    ...(problem !== undefined && { problem }),
  }
}

/** It is unknown whether a tool expands `~`, so both meanings are judged. */
function meaningsOf(originalPath: string, { homeDir }: Place): readonly string[] {
  if (originalPath !== '~' && !/^~[\\/]/.test(originalPath)) return [originalPath]
  return [`./${originalPath}`, homeDir + originalPath.slice(1)]
}

async function judgeMeaning(text: string, place: Place, lookup: Lookup): Promise<Omit<JudgedPath, 'originalPath'>> {
  const { path, steps, problem } = normalisePath(text, place)
  if (problem !== undefined) return { forms: [path], isFolder: false, isCaseInsensitive: true, problem }
  const look = await lookup(path)
  const followedPath = await resolveSteps(steps, place, lookup)
  const followedLook = followedPath === undefined ? undefined : await lookup(followedPath)
  if (look === undefined || followedLook === undefined) {
    const lookupProblem = `${shortenPath(text)} could not be looked up`
    return { forms: [path], isFolder: false, isCaseInsensitive: true, problem: lookupProblem }
  }
  const looks = [look, followedLook]
  return {
    forms: [path, ...looks.map(({ realPath }) => toSlashes(realPath, place))],
    isFolder: looks.some(({ isFolder }) => isFolder),
    isCaseInsensitive: looks.some(({ isCaseInsensitive }) => isCaseInsensitive),
  }
}

/** Resolves `..` like the operating system: relative to the target of the links before it. */
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

/** Replaces backslashes on Windows. */
export function toSlashes(path: string, { platform }: Pick<Place, 'platform'>): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string, isCaseInsensitive: boolean): boolean {
  return isPathInside(path, folder, { isCaseInsensitive })
}
