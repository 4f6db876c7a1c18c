import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The paths that a call is about, as it writes them. */
export interface NamedPaths {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
}

/** What they are on the disk as it is now. */
export interface TouchedFiles {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** It may move a link, and what is reached through that then cannot be told before. */
  readonly isAlone: boolean
}

/** Found out with nothing of what schedules calls, so that tests can compare the two. */
export function touchedFiles({ reads, writes }: NamedPaths, root: string): TouchedFiles {
  const isOneOfSeveral = new Set([...reads, ...writes]).size > 1
  return {
    reads: [...reads, ...[...reads, ...writes].flatMap(enteredAndLeft)].flatMap((name) => placesOf(name, root)),
    writes: writes.flatMap((name) => placesOf(name, root)),
    isAlone: isOneOfSeveral && writes.some((name) => isLink(resolve(root, name))),
  }
}

/** One writes what the other reads or writes; who goes over a folder reads all that is in it. */
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

/** A path as it is written, what it leads to, and the file itself where that has several names of the same right. */
function placesOf(name: string, root: string): readonly string[] {
  const written = resolve(root, name)
  const file = entryAt(written, statSync)
  return [written, end(written), ...(file?.isFile() && file.nlink > 1 ? [`inode ${file.ino}`] : [])]
}

/** Where a path leads, also if nothing is there yet. */
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
    // Nothing is there, or what should be a folder is a file.
    return undefined
  }
}

/** `sub` in `sub/../file`: it has to be there. */
function enteredAndLeft(name: string): readonly string[] {
  const parts = name.split('/')
  return parts.flatMap((part, at) => (part === '..' && at > 0 ? [parts.slice(0, at).join('/')] : []))
}
