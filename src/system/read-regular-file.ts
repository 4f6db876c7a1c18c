import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { toPathBytes } from '../shared/path-bytes.js'
import { findOpenedPath } from './opened-path.js'

/** The content of a file, or why there is none. */
export type ReadResult<T> = { readonly kind: 'found'; readonly content: T } | { readonly kind: 'absent' | 'unreadable' }

interface ReadLimits {
  readonly maxBytes: number
  /** Whether a symbolic link at the end of the path is followed. Default: true. */
  readonly followsLinks?: boolean
  /** Whether the path is a real path, so that a file which another path leads to by now is unreadable. Default: false. */
  readonly isRealPath?: boolean
}

/** Non-blocking, because a named pipe may have taken the place of the file, and without a writer opening it never returns. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/**
 * Reads a file whose path a project or a command controls. Pipes, devices, folders and files beyond the limit are unreadable,
 * as are files that change while they are read. Synchronous, because the thread pool takes longer than these calls.
 */
export function readRegularFile(
  path: string,
  { maxBytes, followsLinks = true, isRealPath = false }: ReadLimits,
): ReadResult<Buffer> {
  let descriptor: number | undefined
  try {
    const pathBytes = toPathBytes(path)
    // A pipe must not even be opened: that would let a program continue that waits for a reader.
    if (!(followsLinks ? statSync : lstatSync)(pathBytes).isFile()) return { kind: 'unreadable' }
    descriptor = openSync(pathBytes, OPEN_FLAGS | (followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0)))
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.size > maxBytes) return { kind: 'unreadable' }
    if (isRealPath) requireSamePath(findOpenedPath(descriptor, stats, path), path)
    const content = Buffer.alloc(stats.size)
    const isComplete = readSync(descriptor, content, 0, stats.size, 0) === stats.size
    return isComplete ? { kind: 'found', content } : { kind: 'unreadable' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unreadable' }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function requireSamePath(openedPath: string | undefined, path: string): void {
  if (openedPath !== path) throw new Error(`${path} leads to another file.`)
}

/** Like `readRegularFile`, for text in UTF-8. */
export function readRegularText(path: string, limits: ReadLimits): ReadResult<string> {
  const readResult = readRegularFile(path, limits)
  return readResult.kind === 'found' ? { kind: 'found', content: readResult.content.toString('utf8') } : readResult
}
