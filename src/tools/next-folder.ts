import { isPathInside } from '../shared/path-containment.js'

/** Where the next command starts: where this one ended, or in the project if that lies outside the working folders. */
export function nextFolder(
  ended: string,
  before: string,
  folders: readonly string[] | undefined,
): { readonly cwd: string; readonly notes: readonly string[] } {
  if (ended === before) return { cwd: before, notes: [] }
  const [project] = folders ?? []
  if (folders === undefined || project === undefined || folders.some((folder) => isPathInside(ended, folder))) {
    return { cwd: ended, notes: [`The working folder is now ${ended}.`] }
  }
  return {
    cwd: project,
    notes: [`It ended in ${ended}, outside the working folders: the next command starts in ${project}.`],
  }
}
