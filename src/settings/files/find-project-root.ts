import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { resolveLinks } from './resolve-real-path.js'

const MARKERS = ['.haft', '.git', '.claude']

/**
 * Returns the real path of the project that contains a folder: the folder itself or its nearest ancestor with a marker, or
 * the folder itself if there is none.
 * Home and its ancestors are never projects: `~/.haft` and `~/.claude` hold the user's own settings.
 */
export async function findProjectRoot({ cwd, home }: { cwd: string; home: string }): Promise<string> {
  const start = await resolveLinks(cwd)
  const realHome = await resolveLinks(home)
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder === dirname(folder) || isPathInside(realHome, folder)) return start
    if (await hasMarker(folder)) return folder
  }
}

async function hasMarker(folder: string): Promise<boolean> {
  const existence = await Promise.all(
    MARKERS.map((name) =>
      lstat(join(folder, name)).then(
        () => true,
        () => false,
      ),
    ),
  )
  return existence.includes(true)
}
