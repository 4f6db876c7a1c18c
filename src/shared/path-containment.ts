import { posix, win32 } from 'node:path'

export interface PathComparison {
  /** Decides the separators and, unless `isCaseInsensitive` is given, whether letter case counts. */
  readonly platform?: string
  readonly isCaseInsensitive?: boolean
}

/**
 * Whether `path` is `folder` or lies below it. Both must be absolute. Only the text is compared, after `.`, `..`, repeated
 * and trailing separators are normalised: callers resolve symbolic links first.
 */
export function isPathInside(path: string, folder: string, comparison: PathComparison = {}): boolean {
  const foldedPath = toComparableText(path, comparison)
  const foldedFolder = toComparableText(folder, comparison)
  return (
    foldedPath === foldedFolder || foldedPath.startsWith(foldedFolder.endsWith('/') ? foldedFolder : `${foldedFolder}/`)
  )
}

/** Whether `path` lies below `folder`. Another spelling of the folder itself does not. */
export function isPathBelow(path: string, folder: string, comparison: PathComparison = {}): boolean {
  return isPathInside(path, folder, comparison) && !isPathInside(folder, path, comparison)
}

/**
 * Returns the part of `path` below `folder`, spelled as in `path`: empty for the folder itself, undefined for a path outside
 * it. Segments are joined by the separator of the platform.
 */
export function toRelativePath(path: string, folder: string, comparison: PathComparison = {}): string | undefined {
  if (!isPathInside(path, folder, comparison)) return undefined
  const { platform = process.platform } = comparison
  const segments = splitSegments(path, platform).slice(splitSegments(folder, platform).length)
  return segments.join(platform === 'win32' ? '\\' : '/')
}

/** Compares a path with many others: each is normalised once, so that thousands can be compared with thousands. */
export class PathIndex {
  readonly #comparison: PathComparison
  /** How many of the paths are this one. */
  readonly #counts = new Map<string, number>()
  /** How many of the paths are this one or lie below it. */
  readonly #countsBelow = new Map<string, number>()

  constructor(paths: Iterable<string>, comparison: PathComparison = {}) {
    this.#comparison = comparison
    for (const path of paths) {
      const [self = '', ...folders] = this.#listWithAncestors(path)
      this.#counts.set(self, (this.#counts.get(self) ?? 0) + 1)
      for (const at of [self, ...folders]) this.#countsBelow.set(at, (this.#countsBelow.get(at) ?? 0) + 1)
    }
  }

  /** Counts the paths that are `folder` or below it, as `isPathInside` decides. */
  countInside(folder: string): number {
    return this.#countsBelow.get(toComparableText(folder, this.#comparison)) ?? 0
  }

  /** Counts the paths that are `path` or a folder that contains it. */
  countContaining(path: string): number {
    return this.#listWithAncestors(path).reduce((count, at) => count + (this.#counts.get(at) ?? 0), 0)
  }

  /** Returns the path and all folders above it. */
  #listWithAncestors(path: string): readonly string[] {
    const text = toComparableText(path, this.#comparison)
    const listedPaths = [text]
    for (let end = text.lastIndexOf('/'); end > 0; end = text.lastIndexOf('/', end - 1))
      listedPaths.push(text.slice(0, end))
    if (text.length > 1 && text.startsWith('/')) listedPaths.push('/')
    return listedPaths
  }
}

/** Whether the default file systems of a platform treat names that differ only in letter case as the same name. */
export function ignoresCase(platform: string): boolean {
  return platform === 'win32' || platform === 'darwin'
}

function toComparableText(path: string, comparison: PathComparison): string {
  const { platform = process.platform, isCaseInsensitive = ignoresCase(platform) } = comparison
  return foldCase(normalise(path, platform), isCaseInsensitive)
}

/** Folds letter case. Keeps the number of segments, on which `toRelativePath` relies: no letter folds to a slash. */
function foldCase(path: string, isCaseInsensitive: boolean): string {
  return isCaseInsensitive ? path.normalize('NFC').toLowerCase() : path
}

/** Resolves `.` and `..`, replaces backslashes on Windows, and removes a trailing slash unless the path is the root. */
function normalise(path: string, platform: string): string {
  const normalisedPath = platform === 'win32' ? win32.normalize(path).replaceAll('\\', '/') : posix.normalize(path)
  return normalisedPath.length > 1 && normalisedPath.endsWith('/') ? normalisedPath.slice(0, -1) : normalisedPath
}

function splitSegments(path: string, platform: string): readonly string[] {
  return normalise(path, platform)
    .split('/')
    .filter((segment) => segment !== '')
}
