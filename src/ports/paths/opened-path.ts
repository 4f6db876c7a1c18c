import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { FileError } from '../../contract/ports/file-error.js'
import { toPathBytes, toPathText } from '../../shared/path-bytes.js'

/** Returns the real path of an open file or folder, even if its path now leads elsewhere. */
export function realPathOf(descriptor: number, { dev, ino, nlink }: Stats, path: string): string {
  if (nlink > 0) {
    const descriptorPath = readDescriptorPath(descriptor)
    if (descriptorPath !== undefined) return toPathText(descriptorPath)
  }
  const resolvedPath = realpathSync.native(toPathBytes(path), 'buffer')
  const currentStats = statSync(resolvedPath)
  if (currentStats.dev !== dev || currentStats.ino !== ino) throw createMovedError(path)
  return toPathText(resolvedPath)
}

/** Returns undefined on systems without /proc. */
function readDescriptorPath(descriptor: number): Buffer | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer')
  } catch {
    return undefined
  }
}

/** The error for a path that no longer leads to what permission was decided for. */
export function createMovedError(path: string): FileError {
  return new FileError('moved', path, `${path} leads to a different file than before, so nothing was done. Try again.`)
}
