import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { FileError } from '../../../contract/ports/file-error.js'
import type { FileStat } from '../../../contract/ports/files.js'
import { toPathBytes } from '../../../shared/path-bytes.js'
import { isProcessSecret } from '../../../shared/process-secrets.js'
import { createMovedError, readOpenedPath } from '../../paths/opened-path.js'
import { withFileErrors } from '../file-failure.js'

export interface OpenedFile {
  readonly descriptor: number
  readonly stat: FileStat
  readonly realPath: string
}

/** Non-blocking, because a pipe may have no writer, and some files below /proc have no data yet. */
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

/** Opens a regular file. Synchronous, because the thread pool would take longer than each of these calls. */
export function openRegular(path: string, approvedPath: string | undefined): OpenedFile {
  const name = toPathBytes(path)
  refuseProcessSecrets(path, path)
  // Checked before opening, because opening some devices has side effects.
  requireRegularFile(statSync(name), path)
  const descriptor = openSync(name, OPEN_FLAGS)
  try {
    const stats = fstatSync(descriptor)
    requireRegularFile(stats, path)
    const realPath = readOpenedPath(descriptor, stats, path)
    refuseProcessSecrets(realPath, path)
    if (approvedPath !== undefined && realPath !== approvedPath) throw createMovedError(path)
    return { descriptor, stat: toFileStat(stats), realPath }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Refuses files that show the variables or the memory of processes, which contain keys. The rights of the user would permit it. */
function refuseProcessSecrets(realPath: string, path: string): void {
  if (!isProcessSecret(realPath)) return
  throw new FileError(
    'no_rights',
    path,
    `${path} shows the environment variables or the memory of a process, which tools must not read.`,
  )
}

function requireRegularFile(stats: Stats, path: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  throw new FileError('not_a_file', path, `${path} is a device, pipe or socket, not a file.`)
}

/** Converts Node's stats to those of the port. */
export function toFileStat(stats: Stats): FileStat {
  const { size, mtimeMs, mode } = stats
  return { kind: toFileKind(stats), size, mtimeMs, mode: mode & 0o7777 }
}

function toFileKind(stats: Stats): FileStat['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

const NS_PER_SECOND = 1_000_000_000n

/** Converts a modification time to the precision of `Stats.mtimeMs`. */
export function toMilliseconds(mtimeNs: bigint): number {
  return Number(mtimeNs / NS_PER_SECOND) * 1_000 + Number(mtimeNs % NS_PER_SECOND) / 1e6
}
