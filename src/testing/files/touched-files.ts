import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The paths that a call names, as written. */
export interface NamedPaths {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** The files that these paths refer to on disk now. */
export interface TouchedFiles {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Whether the call may move a link, so that the files behind the link cannot be determined in advance. */
  readonly mustRunAlone: boolean
}

/** Returns the files that paths refer to. Computed without any code of the scheduler, so that tests can compare the two. */
export function findTouchedFiles({ reads, writes }: NamedPaths, root: string): TouchedFiles {
  const hasSeveralPaths = new Set([...reads, ...writes]).size > 1
  return {
    reads: [...reads, ...[...reads, ...writes].flatMap(listFoldersLeftByDots)].flatMap((name) =>
      listLocations(name, root),
    ),
    writes: writes.flatMap((name) => listLocations(name, root)),
    mustRunAlone: hasSeveralPaths && writes.some((name) => isLink(resolve(root, name))),
  }
}

/** Whether one call writes files that the other reads or writes. A call on a folder reads everything in it. */
export function areInConflict(one: TouchedFiles = NO_FILES, other: TouchedFiles = NO_FILES): boolean {
  if (one.mustRunAlone || other.mustRunAlone) return true
  return doOverlap(one.writes, [...other.reads, ...other.writes]) || doOverlap(one.reads, other.writes)
}

const NO_FILES: TouchedFiles = { reads: [], writes: [], mustRunAlone: false }

function doOverlap(paths: readonly string[], otherPaths: readonly string[]): boolean {
  return paths.some((path) =>
    otherPaths.some((other) => `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`)),
  )
}

/** Returns the absolute path, its target, and the inode if the file has several hard links. */
function listLocations(name: string, root: string): readonly string[] {
  const absolutePath = resolve(root, name)
  const file = statOrUndefined(absolutePath, statSync)
  return [absolutePath, resolveTarget(absolutePath), ...(file?.isFile() && file.nlink > 1 ? [`inode ${file.ino}`] : [])]
}

/** Returns the target of a path, even if nothing exists there yet. */
function resolveTarget(path: string): string {
  if (isLink(path)) return resolveTarget(resolve(dirname(path), readlinkSync(path)))
  return statOrUndefined(path, statSync) ? realpathSync(path) : join(resolveTarget(dirname(path)), basename(path))
}

function isLink(path: string): boolean {
  return statOrUndefined(path, lstatSync)?.isSymbolicLink() === true
}

function statOrUndefined(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path)
  } catch {
    // The path does not exist, or one of its parents is a file.
    return undefined
  }
}

/** Returns the folders before `..` in a path, such as `sub` in `sub/../file`: they have to exist. */
function listFoldersLeftByDots(name: string): readonly string[] {
  const segments = name.split('/')
  return segments.flatMap((segment, at) => (segment === '..' && at > 0 ? [segments.slice(0, at).join('/')] : []))
}
