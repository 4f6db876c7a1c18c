import { realpathSync } from 'node:fs'
import { isPathInside } from '../../shared/path-containment.js'

/** Returns the path without symbolic links, or the path itself if it does not exist. */
export function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Nothing that exists is inside this path, so a comparison with it fails.
    return path
  }
}

/** Whether an existing path is inside a folder once links are resolved. A path that cannot be resolved is not. */
export function leadsInto(path: string, realFolder: string): boolean {
  try {
    return isPathInside(realpathSync(path), realFolder)
  } catch {
    // For example, the resolved path is longer than the system allows, although the link can be opened.
    return false
  }
}
