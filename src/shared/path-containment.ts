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
  const { platform = process.platform, isCaseInsensitive = ignoresCase(platform) } = comparison
  const foldedPath = foldCase(normalise(path, platform), isCaseInsensitive)
  const foldedFolder = foldCase(normalise(folder, platform), isCaseInsensitive)
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

/** Whether the default file systems of a platform treat names that differ only in letter case as the same name. */
export function ignoresCase(platform: string): boolean {
  return platform === 'win32' || platform === 'darwin'
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
