import { isNetworkShare } from '../../shared/network-share.js'
import type { Place } from './place.js'

const MAX_SHOWN = 300

/** A path for a question: whoever answers must see its ends, and nobody reads thousands of characters. */
export function shortPath(path: string): string {
  if (path.length <= MAX_SHOWN) return path
  const half = MAX_SHOWN / 2
  return `${path.slice(0, half)}…${path.slice(-half)} (${path.length} characters)`
}

/** A path as text, before anything was looked up. */
export interface NormalisedPath {
  /** Absolute, with forward slashes, without `.`, `..` and doubled slashes. */
  readonly path: string
  /** The same before `..` was taken out: behind a symlink it leads elsewhere than the text says. */
  readonly steps: readonly string[]
  /** Why this path must not be looked at, or cannot be. */
  readonly problem?: string
}

/** Takes a path apart as text. A network share is recognised on every platform and never handed on. */
export function normalisePath(written: string, { cwd, platform }: Pick<Place, 'cwd' | 'platform'>): NormalisedPath {
  if (isNetworkShare(written)) return networkShare(written)
  const isWindows = platform === 'win32'
  const text = isWindows ? written.replaceAll('\\', '/') : written
  const folder = isWindows ? cwd.replaceAll('\\', '/') : cwd
  if (isWindows && /^[A-Za-z]:(?!\/)/.test(text)) {
    return { ...collapse(folder), problem: `${shortPath(written)} counts from the current folder of a drive` }
  }
  if (isWindows && /~\d/.test(text))
    return { ...collapse(absolute(text, folder, true)), problem: `${shortPath(written)} may be a short name` }
  if (isNetworkShare(folder) && !isAbsolute(text, isWindows)) return networkShare(`${folder}/${text}`)
  return collapse(absolute(text, folder, isWindows))
}

function networkShare(written: string): NormalisedPath {
  return { ...collapse(`/${written.replaceAll('\\', '/')}`), problem: `${shortPath(written)} is on a network share` }
}

function isAbsolute(text: string, isWindows: boolean): boolean {
  return text.startsWith('/') || (isWindows && /^[A-Za-z]:\//.test(text))
}

function absolute(text: string, folder: string, isWindows: boolean): string {
  if (!isAbsolute(text, isWindows)) return `${folder}/${text}`
  const drive = isWindows && text.startsWith('/') ? (/^[A-Za-z]:/.exec(folder)?.[0] ?? '') : ''
  return drive + text
}

function collapse(text: string): NormalisedPath {
  const steps = text.split('/').filter((name) => name !== '' && name !== '.')
  const names: string[] = []
  for (const name of steps) {
    if (name !== '..') names.push(name)
    else leaveFolder(names)
  }
  return { path: joinPath(names), steps }
}

/** Takes off the last name; the root and a drive stay. */
export function leaveFolder(names: string[]): void {
  if (names.length > (isDrive(names[0]) ? 1 : 0)) names.pop()
}

function isDrive(name: string | undefined): boolean {
  return name !== undefined && /^[A-Za-z]:$/.test(name)
}

/** Names below the root, or below a drive, as one absolute path. */
export function joinPath(names: readonly string[]): string {
  if (!isDrive(names[0])) return `/${names.join('/')}`
  return names.length === 1 ? `${names[0]}/` : names.join('/')
}

/** The names of an absolute path, from the root or the drive down. */
export function splitPath(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}
