import type { FoundFiles } from '../../contract/command.js'
import type { JudgedTarget } from '../../contract/judged-paths.js'
import { DEFAULT_PACING } from '../../shared/for-each-in-slices.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { isPathInside } from '../../shared/path-containment.js'
import { isNetworkShare, isTooLongToLookUp } from '../../shared/path-problem.js'
import type { GlobNames } from './glob-files.js'
import { joinPath, leaveFolder, normalisePath, type PathContext, shortenPath, splitPath } from './normalise-path.js'

/** The attributes of a path in the file system. The path need not exist. */
interface PathInfo {
  /** The path with symbolic links resolved as far as it exists. A dangling link is resolved to its target. */
  readonly realPath: string
  readonly isFolder: boolean
  /** Whether the path exists and is neither a file nor a folder: a pipe, a socket or a device. */
  readonly isSpecial?: boolean
  /** Whether names that differ only in letter case are the same file. */
  readonly isCaseInsensitive: boolean
}

/**
 * The only access of permission decisions to the file system. The paths that are passed are absolute and normalised: they
 * contain no `..`, no repeated slashes and no backslashes on Windows, and they are never on a network share.
 */
export interface PathFacts {
  look(path: string): MaybePromise<PathInfo>
  /**
   * Returns the symbolic links, pipes and devices among the matching entries of a folder. Undefined if there are too many
   * entries, or if a name must be plain but has blanks or quotes.
   */
  links?(folder: string, entries: LinkQuery): MaybePromise<readonly string[] | undefined>
  /** Returns the paths of the matching entries of a folder, links included. Undefined if there are too many. */
  entries?(folder: string, entries: EntryQuery): MaybePromise<readonly string[] | undefined>
}

/** Selects the entries of a folder. */
type LinkQuery = Omit<FoundFiles, 'folder'>

/** Selects entries of a folder, or with `isDeep` all entries at any depth. */
export interface EntryQuery extends Pick<FoundFiles, 'prefix' | 'suffix' | 'isDeep'> {
  /** Whether the files in `.git` and `node_modules` are excluded. */
  readonly areSources?: true
}

/** Looks up a path once per decision. Resolves to undefined if the lookup fails or must not be made. */
export type Lookup = (path: string) => Promise<PathInfo | undefined>

/** The number of paths that are looked up before the event loop may do other work. */
const MAX_LOOKUPS_PER_TURN = 100

/** Creates a lookup that caches the results of one decision. */
export function createLookup(facts: PathFacts): Lookup {
  let lookupsByPath: Map<string, Promise<PathInfo | undefined>> | undefined
  let turn: Promise<void> | undefined
  return (path) => {
    lookupsByPath ??= new Map()
    let pendingInfo = lookupsByPath.get(path)
    if (pendingInfo === undefined) {
      // A command may name thousands of files, and looking them up is synchronous.
      const isTurnUsedUp = lookupsByPath.size > 0 && lookupsByPath.size % MAX_LOOKUPS_PER_TURN === 0
      if (isTurnUsedUp) turn = turn === undefined ? DEFAULT_PACING.pause() : turn.then(DEFAULT_PACING.pause)
      pendingInfo = turn === undefined ? lookUpPath(facts, path) : turn.then(() => lookUpPath(facts, path))
      lookupsByPath.set(path, pendingInfo)
    }
    return pendingInfo
  }
}

async function lookUpPath(facts: PathFacts, path: string): Promise<PathInfo | undefined> {
  if (isNetworkShare(path)) return undefined
  try {
    const pathInfo = await facts.look(path)
    return typeof pathInfo?.realPath === 'string' ? pathInfo : undefined
  } catch {
    // A path that cannot be looked up cannot be judged, so the caller asks the user.
    return undefined
  }
}

/** A path that a call uses, as declared by the tool or found by the command analysis. */
export interface TouchedPath {
  /** The path as the tool or the command names it. */
  readonly originalPath: string
  /** Whether the call uses everything below the path. */
  readonly isFolder: boolean
}

/** A path with the facts that permission decisions need. */
export interface JudgedPath {
  readonly originalPath: string
  /** Every absolute path that this may be: as written, and with links resolved. The strictest one decides. */
  readonly forms: readonly string[]
  readonly isFolder: boolean
  /** Whether the path is a pipe, a socket or a device. */
  readonly isSpecial?: true
  readonly isCaseInsensitive: boolean
  /** Whether only the name, the size or other attributes are read, not the content. */
  readonly isNameOnly?: true
  /** Whether a program that no table describes may use everything below the path, if it is a folder. */
  readonly mayBeTree?: true
  /** If set, the call uses only files in the folder that match one of these patterns. Existing files are also judged alone. */
  readonly globs?: readonly GlobNames[]
  /** Whether another part of the script may create files that the patterns match. */
  readonly mayMatchMore?: true
  /** Whether git or a tool of the project changes files below the folder, but nothing in `.git` and `node_modules`. */
  readonly isSourceFolder?: true
  /** The target of each path that the call may use. Empty if a path could not be looked up. */
  readonly targets: readonly (readonly [path: string, target: JudgedTarget])[]
  /** A protected folder inside this one. Set only for folders that are written. */
  readonly protectedFolder?: string
  /** Selects the files in the folder that are used. Left out if an earlier command may have changed the folder. */
  readonly contents?: readonly EntryQuery[]
  /** Why the path could not be judged. Only the user can allow such a call. */
  readonly problem?: string
}

/**
 * Judges every possible meaning of a path: with and without links followed, with `..` applied before and after that, and with
 * and without `~` expanded.
 */
export async function judgePath(
  touchedPath: TouchedPath,
  pathContext: PathContext,
  lookup: Lookup,
): Promise<JudgedPath> {
  const { originalPath } = touchedPath
  const meanings = await Promise.all(
    meaningsOf(originalPath, pathContext).map((text) => judgeMeaning(text, pathContext, lookup)),
  )
  const problem = meanings.find((meaning) => meaning.problem !== undefined)?.problem
  return {
    originalPath,
    forms: [...new Set(meanings.flatMap(({ forms }) => forms))],
    isFolder: touchedPath.isFolder || meanings.some(({ isFolder }) => isFolder),
    isCaseInsensitive: meanings.some(({ isCaseInsensitive }) => isCaseInsensitive),
    targets: meanings.flatMap(({ targets }) => targets),
    ...(meanings.some(({ isSpecial }) => isSpecial === true) && { isSpecial: true as const }),
    ...(problem !== undefined && { problem }),
  }
}

/** Returns both meanings of `~`, because it is unknown whether the tool expands it. */
function meaningsOf(originalPath: string, { homeDir }: PathContext): readonly string[] {
  if (originalPath !== '~' && !/^~[\\/]/.test(originalPath)) return [originalPath]
  return [`./${originalPath}`, homeDir + originalPath.slice(1)]
}

async function judgeMeaning(
  text: string,
  pathContext: PathContext,
  lookup: Lookup,
): Promise<Omit<JudgedPath, 'originalPath'>> {
  const { path, steps, problem } = normalisePath(text, pathContext)
  if (problem !== undefined) return createUnjudged(path, problem)
  if (isTooLongToLookUp(text)) return createUnjudged(path, `${shortenPath(text)} is too long to look up`)
  const pathInfo = await lookup(path)
  const followedPath = await resolveSteps(steps, pathContext, lookup)
  const followedLook = followedPath === undefined ? undefined : await lookup(followedPath)
  const entryPath = pathInfo === undefined ? undefined : await findEntryPath(path, pathInfo, pathContext, lookup)
  if (pathInfo === undefined || followedLook === undefined || entryPath === undefined)
    return createUnjudged(path, `${shortenPath(text)} could not be looked up`)
  const pathInfos = [pathInfo, followedLook]
  return {
    forms: [
      path,
      toSlashes(entryPath, pathContext),
      ...pathInfos.map(({ realPath }) => toSlashes(realPath, pathContext)),
    ],
    targets: [[path, { realPath: pathInfo.realPath, entryPath }]],
    isFolder: pathInfos.some(({ isFolder }) => isFolder),
    ...(pathInfos.some(({ isSpecial }) => isSpecial === true) && { isSpecial: true as const }),
    isCaseInsensitive: pathInfos.some(({ isCaseInsensitive }) => isCaseInsensitive),
  }
}

function createUnjudged(path: string, problem: string): Omit<JudgedPath, 'originalPath'> {
  return { forms: [path], isFolder: false, isCaseInsensitive: true, targets: [], problem }
}

/** Returns the path of the entry itself: its folder with links resolved, and its own name, which may be that of a link. */
async function findEntryPath(
  path: string,
  { realPath }: PathInfo,
  pathContext: PathContext,
  lookup: Lookup,
): Promise<string | undefined> {
  if (toSlashes(realPath, pathContext) === path) return realPath
  const names = splitPath(path)
  const name = names.pop()
  if (name === undefined) return realPath
  const folder = await lookup(joinPath(names))
  if (folder === undefined) return undefined
  const entryPath = joinPath([...splitPath(toSlashes(folder.realPath, pathContext)), name])
  return pathContext.platform === 'win32' ? entryPath.replaceAll('/', '\\') : entryPath
}

/** Resolves `..` as the operating system does: relative to the target of the links before it. */
async function resolveSteps(
  steps: readonly string[],
  pathContext: PathContext,
  lookup: Lookup,
): Promise<string | undefined> {
  let names: string[] = []
  for (const step of steps) {
    if (step !== '..') {
      names.push(step)
      continue
    }
    const pathInfo = await lookup(joinPath(names))
    if (pathInfo === undefined) return undefined
    names = splitPath(toSlashes(pathInfo.realPath, pathContext))
    leaveFolder(names)
  }
  return joinPath(names)
}

/** Converts backslashes to slashes on Windows. */
export function toSlashes(path: string, { platform }: Pick<PathContext, 'platform'>): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string, isCaseInsensitive: boolean): boolean {
  return isPathInside(path, folder, { isCaseInsensitive })
}
