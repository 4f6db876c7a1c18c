import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { FileError } from '../../../contract/ports/file-error.js'
import type { FileStat } from '../../../contract/ports/files.js'
import { pathBytes, pathText } from '../../../shared/path-bytes.js'
import { withFileErrors } from '../file-failure.js'

export interface OpenedFile {
  readonly descriptor: number
  readonly stat: FileStat
  readonly realPath: string
}

/** Non-blocking: a pipe may have no writer, and some files below /proc have no data yet. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Opens a regular file for reading, checks that it is the approved one, and closes it after use. */
export function withRegularFile<T>(
  path: string,
  approvedPath: string | undefined,
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> {
  return withFileErrors(path, async () => {
    const file = openRegular(path, approvedPath)
    try {
      return await use(file)
    } finally {
      closeSync(file.descriptor)
    }
  })
}

/** Synchronous, because a thread pool round trip would take longer than each of these calls. */
export function openRegular(path: string, approvedPath: string | undefined): OpenedFile {
  const name = pathBytes(path)
  // Checked before opening, because opening alone has side effects on some devices.
  requireRegularFile(statSync(name), path)
  const descriptor = openSync(name, OPEN_FLAGS)
  try {
    const stats = fstatSync(descriptor)
    requireRegularFile(stats, path)
    const realPath = realPathOf(descriptor, stats, path)
    if (approvedPath !== undefined && realPath !== approvedPath) throw createMovedError(path)
    return { descriptor, stat: toFileStat(stats), realPath }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

export function createMovedError(path: string): FileError {
  return new FileError('moved', path, `${path} leads to a different file than before; read it again.`)
}

function requireRegularFile(stats: Stats, path: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  throw new FileError('not_a_file', path, `${path} is a device, pipe or socket, not a file.`)
}

/** The real path of the open file, even if the path now leads elsewhere. */
function realPathOf(descriptor: number, { dev, ino, nlink }: Stats, path: string): string {
  if (nlink > 0) {
    const place = readDescriptorPath(descriptor)
    if (place !== undefined) return pathText(place)
  }
  const resolvedPath = realpathSync.native(pathBytes(path), 'buffer')
  const currentStats = statSync(resolvedPath)
  if (currentStats.dev !== dev || currentStats.ino !== ino) throw createMovedError(path)
  return pathText(resolvedPath)
}

/** Undefined on systems without /proc. */
function readDescriptorPath(descriptor: number): Buffer | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer')
  } catch {
    return undefined
  }
}

/** Converts Node's stats to those of the port. */
export function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, mode } = stats
  return { kind: kindOf(stats), size, mtimeMs, mode: mode & 0o7777 }
}

function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

const NS_PER_SECOND = 1_000_000_000n

/** The modification time in the same precision as `Stats.mtimeMs`. */
export function mtimeMs(mtimeNs: bigint): number {
  return Number(mtimeNs / NS_PER_SECOND) * 1_000 + Number(mtimeNs % NS_PER_SECOND) / 1e6
}
