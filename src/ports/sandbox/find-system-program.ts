import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin']

/** Where a program of the system lies; one that commands could write themselves does not count. */
export function findSystemProgram(
  name: string,
  { searchPath, writable }: { readonly searchPath: string; readonly writable: readonly string[] },
): string | undefined {
  const folders = [...SYSTEM_FOLDERS, ...searchPath.split(delimiter).filter(isAbsolute)]
  return folders.map((folder) => join(folder, name)).find((path) => isProgram(path, writable))
}

function isProgram(path: string, writable: readonly string[]): boolean {
  try {
    accessSync(path, constants.X_OK)
    const real = realpathSync(path)
    return !writable.some((folder) => isPathInside(real, folder) || isPathInside(path, folder))
  } catch {
    // Not there.
    return false
  }
}
