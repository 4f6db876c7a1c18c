import { isPathBelow } from '../../shared/path-containment.js'
import { DEPENDENCY_FOLDER } from './patterns.js'

/**
 * Whether a path is in the project, in a folder beside it or in a temporary folder, but not in a folder of dependencies. Files
 * elsewhere may be installed programs.
 */
export function isNearby(path: string, start: string): boolean {
  return !DEPENDENCY_FOLDER.test(path) && isNearbyOrDependency(path, start)
}

/** Like `isNearby`, but also accepts folders of dependencies. */
export function isNearbyOrDependency(path: string, start: string): boolean {
  const [, grandparent = '', parent = ''] = /^(.*)(\/[^/]*)\/[^/]*\/?$/s.exec(start) ?? []
  // In a home folder, the folder two levels up contains the files of other users.
  const root = /^\/[^/]+\/[^/]/.test(grandparent) ? grandparent : grandparent + parent
  return [start, root, '/tmp'].some((folder) => folder !== '' && isPathBelow(path, folder))
}
