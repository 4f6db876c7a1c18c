import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { acceptOwnersOf, type OwnerTest } from '../../system/accepted-owners.js'
import { resolveLinks } from './resolve-real-path.js'

const PROJECT_MARKERS = ['.haft', '.git', '.claude']

/**
 * Returns the real path of the project that contains a folder: the folder itself or its nearest ancestor with a marker, or
 * the folder itself if there is none. Ancestors and markers of other users do not count, such as `/tmp/.git`.
 * Home and its ancestors are never projects: `~/.haft` and `~/.claude` contain the user's own settings.
 */
export async function findProjectRoot({ cwd, home }: { cwd: string; home: string }): Promise<string> {
  const start = await resolveLinks(cwd)
  const realHome = await resolveLinks(home)
  const isAcceptedOwner = await acceptOwnersOf(start)
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder === dirname(folder) || isPathInside(realHome, folder)) return start
    if (await hasMarker(folder, isAcceptedOwner)) return folder
  }
}

async function hasMarker(folder: string, isAcceptedOwner: OwnerTest): Promise<boolean> {
  const isAccepted = (path: string) => lstat(path).then(isAcceptedOwner, () => false)
  const markers = await Promise.all(PROJECT_MARKERS.map((name) => isAccepted(join(folder, name))))
  return markers.includes(true) && (await isAccepted(folder))
}
