import type { Stats } from 'node:fs'
import { FileError } from '../../contract/ports/file-error.js'
import { findOpenedPath } from '../../system/opened-path.js'

/** Returns the real path of an open file or folder, even if its path now leads elsewhere. */
export function readOpenedPath(descriptor: number, stats: Stats, path: string): string {
  const openedPath = findOpenedPath(descriptor, stats, path)
  if (openedPath === undefined) throw createMovedError(path)
  return openedPath
}

/** Creates the error for a path that leads to a different file than when permission was decided. */
export function createMovedError(path: string): FileError {
  return new FileError('moved', path, `${path} leads to a different file than before, so nothing was done. Try again.`)
}
