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
  /** The call may move a link, so the files behind that link cannot be determined in advance. */
  readonly isAlone: boolean
}

/** Computed without any code of the scheduler, so that tests can compare the two. */
export function touchedFiles({ reads, writes }: NamedPaths, root: string): TouchedFiles {
  const isOneOfSeveral = new Set([...reads, ...writes]).size > 1
  return {
    reads: [...reads, ...[...reads, ...writes].flatMap(enteredAndLeft)].flatMap((name) => placesOf(name, root)),
    writes: writes.flatMap((name) => placesOf(name, root)),
    isAlone: isOneOfSeveral && writes.some((name) => isLink(resolve(root, name))),
  }
}

/** Whether one writes what the other reads or writes. A call on a folder reads everything in it. */
export function areAtOdds(one: TouchedFiles = NOTHING, other: TouchedFiles = NOTHING): boolean {
  if (one.isAlone || other.isAlone) return true
  return meet(one.writes, [...other.reads, ...other.writes]) || meet(one.reads, other.writes)
}

const NOTHING: TouchedFiles = { reads: [], writes: [], isAlone: false }

function meet(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) =>
    others.some((other) => `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`)),
  )
}

/** The path as written, its target, and the inode if the file has several hard links. */
function placesOf(name: string, root: string): readonly string[] {
  const written = resolve(root, name)
  const file = entryAt(written, statSync)
  return [written, end(written), ...(file?.isFile() && file.nlink > 1 ? [`inode ${file.ino}`] : [])]
}

/** The target of a path, even if nothing exists there yet. */
function end(path: string): string {
  if (isLink(path)) return end(resolve(dirname(path), readlinkSync(path)))
  return entryAt(path, statSync) ? realpathSync(path) : join(end(dirname(path)), basename(path))
}

function isLink(path: string): boolean {
  return entryAt(path, lstatSync)?.isSymbolicLink() === true
}

function entryAt(path: string, look: (path: string) => Stats): Stats | undefined {
  try {
    return look(path)
  } catch {
    // The path does not exist, or one of its parents is a file.
    return undefined
  }
}

/** `sub` in `sub/../file`: this folder has to exist. */
function enteredAndLeft(name: string): readonly string[] {
  const parts = name.split('/')
  return parts.flatMap((part, at) => (part === '..' && at > 0 ? [parts.slice(0, at).join('/')] : []))
}
