import type { Variables } from './variables.js'

/** What a running shell carries along while its commands are looked at. */
export interface Scope {
  /** The folders in which the next command may run; none where that is not known. */
  folders: readonly string[] | undefined
  readonly home: string | undefined
  readonly variables: Variables
  /** A variable was set that programs may read: what runs from here on may do anything. */
  isTainted: boolean
  /** How many scripts and wrappers stand around the command. */
  readonly depth: number
}

/** A subshell: what it changes ends with it. */
export function subshell(scope: Scope): Scope {
  return { ...scope, depth: scope.depth + 1 }
}

/** The folders after something that may have happened or not. */
export function joinFolders(
  some: readonly string[] | undefined,
  more: readonly string[] | undefined,
): readonly string[] | undefined {
  if (some === more) return some
  if (some === undefined || more === undefined) return undefined
  const all = [...new Set([...some, ...more])]
  return all.length > MAX_FOLDERS ? undefined : all
}

const MAX_FOLDERS = 8

/** Joins a path to the folder it counts from, and takes out `.` and `..` by their text, as `cd` does. */
export function joinPath(folder: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${folder}/${path}`
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return `/${parts.join('/')}`
}
