import { isNetworkShare } from '../../shared/path-problem.js'

/** The directories that relative paths and rules of a call are resolved against. */
export interface PathContext {
  /** The working directory of this call. Relative paths in the input start here. */
  readonly cwd: string
  /** The first working directory. Relative rules start here. Defaults to `cwd`. */
  readonly startDir?: string
  /** The project. Rules with one leading slash start here. Defaults to `startDir`. */
  readonly projectDir?: string
  readonly homeDir: string
  readonly platform?: 'posix' | 'win32'
  /**
   * Returns the files and folders that are protected in addition to the built-in list, as far as they can concern a path: those
   * that the configuration of its git repository names.
   */
  readonly protectedPaths?: (path: string) => readonly string[]
}

/** Returns the folder that relative rules start from. */
export function startDirOf({ startDir, cwd }: PathContext): string {
  return startDir ?? cwd
}

const MAX_SHOWN_CHARS = 300

/** Shortens a path for a message and keeps both of its ends. */
export function shortenPath(path: string): string {
  if (path.length <= MAX_SHOWN_CHARS) return path
  const half = MAX_SHOWN_CHARS / 2
  return `${path.slice(0, half)}…${path.slice(-half)} (${path.length} characters)`
}

/** A path normalised as text, without access to the file system. */
export interface NormalisedPath {
  /** The absolute path with forward slashes and without `.`, `..` and repeated slashes. */
  readonly path: string
  /** The segments, including `..`, whose meaning differs after a symbolic link. */
  readonly steps: readonly string[]
  /** Why this path cannot or must not be looked up. */
  readonly problem?: string
}

/** Normalises a path as text. A network share is recognised on every platform and is never looked up. */
export function normalisePath(
  originalPath: string,
  { cwd, platform }: Pick<PathContext, 'cwd' | 'platform'>,
): NormalisedPath {
  if (isNetworkShare(originalPath)) return toNetworkShare(originalPath)
  const isWindows = platform === 'win32'
  const text = isWindows ? originalPath.replaceAll('\\', '/') : originalPath
  const folder = isWindows ? cwd.replaceAll('\\', '/') : cwd
  if (isWindows && /^[A-Za-z]:(?!\/)/.test(text)) {
    return { ...collapse(folder), problem: `${shortenPath(originalPath)} is relative to the current folder of a drive` }
  }
  if (isWindows && /~\d/.test(text))
    return {
      ...collapse(toAbsolute(text, folder, true)),
      problem: `${shortenPath(originalPath)} may be a Windows short name`,
    }
  if (isNetworkShare(folder) && !isAbsolute(text, isWindows)) return toNetworkShare(`${folder}/${text}`)
  return collapse(toAbsolute(text, folder, isWindows))
}

function toNetworkShare(originalPath: string): NormalisedPath {
  return {
    ...collapse(`/${originalPath.replaceAll('\\', '/')}`),
    problem: `${shortenPath(originalPath)} is on a network share`,
  }
}

function isAbsolute(text: string, isWindows: boolean): boolean {
  return text.startsWith('/') || (isWindows && /^[A-Za-z]:\//.test(text))
}

function toAbsolute(text: string, folder: string, isWindows: boolean): string {
  if (!isAbsolute(text, isWindows)) return `${folder}/${text}`
  const drivePrefix = isWindows && text.startsWith('/') ? (/^[A-Za-z]:/.exec(folder)?.[0] ?? '') : ''
  return drivePrefix + text
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

/** Removes the last name, but never the root or a drive. */
export function leaveFolder(names: string[]): void {
  if (names.length > (isDrive(names[0]) ? 1 : 0)) names.pop()
}

function isDrive(name: string | undefined): boolean {
  return name !== undefined && /^[A-Za-z]:$/.test(name)
}

/** Joins names into an absolute path below the root or a drive. */
export function joinPath(names: readonly string[]): string {
  if (!isDrive(names[0])) return `/${names.join('/')}`
  return names.length === 1 ? `${names[0]}/` : names.join('/')
}

/** Splits an absolute path into its names. */
export function splitPath(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}
