import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { FileError } from '../../../contract/ports/file-error.js'
import type { FileStat } from '../../../contract/ports/files.js'
import { pathBytes, pathText } from '../../../shared/path-bytes.js'
import { onFile } from '../file-failure.js'

export interface OpenedFile {
  readonly descriptor: number
  readonly stat: FileStat
  readonly realPath: string
}

/** Non-blocking: a pipe may have no writer, and some files below /proc have no data yet. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Opens a regular file for reading, checks that it is the approved one, and closes it after use. */
export function withRegular<T>(
  path: string,
  judged: string | undefined,
  use: (file: OpenedFile) => Promise<T>,
): Promise<T> {
  return onFile(path, async () => {
    const file = openRegular(path, judged)
    try {
      return await use(file)
    } finally {
      closeSync(file.descriptor)
    }
  })
}

/** Synchronous, because a thread pool round trip would take longer than each of these calls. */
export function openRegular(path: string, judged: string | undefined): OpenedFile {
  const name = pathBytes(path)
  // Checked before opening, because opening alone has side effects on some devices.
  refuseOthers(statSync(name), path)
  const descriptor = openSync(name, FLAGS)
  try {
    const stats = fstatSync(descriptor)
    refuseOthers(stats, path)
    const realPath = placeOf(descriptor, stats, path)
    if (judged !== undefined && realPath !== judged) throw movedError(path)
    return { descriptor, stat: fileStat(stats), realPath }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

export function movedError(path: string): FileError {
  return new FileError('moved', path, `${path} leads to a different file than before; read it again.`)
}

function refuseOthers(stats: Stats, path: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  throw new FileError('not_a_file', path, `${path} is a device, pipe or socket, not a file.`)
}

/** The real path of the open file, even if the path changed meaning meanwhile. */
function placeOf(descriptor: number, { dev, ino, nlink }: Stats, path: string): string {
  if (nlink > 0) {
    const place = descriptorPlace(descriptor)
    if (place !== undefined) return pathText(place)
  }
  const real = realpathSync.native(pathBytes(path), 'buffer')
  const now = statSync(real)
  if (now.dev !== dev || now.ino !== ino) throw movedError(path)
  return pathText(real)
}

/** Undefined on systems without /proc. */
function descriptorPlace(descriptor: number): Buffer | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer')
  } catch {
    return undefined
  }
}

/** Converts Node's stats to those of the port. */
export function fileStat(stats: Stats): FileStat {
  const { size, mtimeMs, mode } = stats
  return { kind: kindOf(stats), size, mtimeMs, mode: mode & 0o7777 }
}

function kindOf(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

const SECOND = 1_000_000_000n

/** The modification time in the same precision as `Stats.mtimeMs`. */
export function mtimeMs(mtimeNs: bigint): number {
  return Number(mtimeNs / SECOND) * 1_000 + Number(mtimeNs % SECOND) / 1e6
}
