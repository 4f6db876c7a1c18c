import { constants, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { toPathBytes, toPathText } from '../shared/path-bytes.js'

/**
 * Returns the real path of an open file or folder, even if its path now leads elsewhere. Undefined if the system does not provide it
 * and the path leads elsewhere.
 */
export function findOpenedPath(
  descriptor: number,
  { dev, ino, nlink }: Pick<Stats, 'dev' | 'ino' | 'nlink'>,
  path: string,
): string | undefined {
  if (nlink > 0) {
    const descriptorPath = readDescriptorPath(descriptor)
    if (descriptorPath !== undefined) return toPathText(descriptorPath)
  }
  const resolvedPath = realpathSync.native(toPathBytes(path), 'buffer')
  const currentStats = statSync(resolvedPath)
  return currentStats.dev === dev && currentStats.ino === ino ? toPathText(resolvedPath) : undefined
}

/** Returns undefined on systems without /proc. */
function readDescriptorPath(descriptor: number): Buffer | undefined {
  try {
    return readlinkSync(descriptorPathOf(descriptor), 'buffer')
  } catch {
    return undefined
  }
}

function descriptorPathOf(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`
}

/** Linux has a flag, unknown to Node, that opens a folder without the right to list it. */
const O_PATH = process.platform === 'linux' ? 0o10000000 : 0

/** Flags to hold a folder open, so that it stays the same folder whatever its path leads to later. */
export const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | O_PATH

/** Windows cannot open folders. There, and where /proc is missing, an exchanged folder is not noticed after the check. */
export const CAN_HOLD_FOLDERS = process.platform !== 'win32'

/**
 * Returns the path below which the entries of a folder are reached: through its descriptor where the system supports it.
 * Undefined if the open folder is not the one of this real path, or if the path leads through a link.
 */
export function findEntryBase(folder: string, descriptor: number | undefined): string | undefined {
  const descriptorPath = descriptor === undefined ? undefined : readDescriptorPath(descriptor)
  const realFolder = descriptorPath ?? realpathSync.native(toPathBytes(folder), 'buffer')
  if (toPathText(realFolder) !== folder) return undefined
  return descriptor === undefined || descriptorPath === undefined ? folder : descriptorPathOf(descriptor)
}
