import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { lookAt } from './look-at.js'
import { GIT_REDIRECT } from './protected-names.js'

/** What makes any folder a repository, whose configuration git then obeys if `.git` is broken. */
const REPOSITORY = ['HEAD', 'objects', 'refs']

/**
 * Names by which a command could lead git to a configuration of its own. A placeholder in their place would break git for
 * everybody, so they are taken away when the command has ended; gives what does that.
 */
export function watchGitDecoys(folders: readonly string[]): () => void {
  const redirects = folders
    .filter((folder) => lookAt(join(folder, '.git'))?.isDirectory())
    .map((folder) => join(folder, '.git', GIT_REDIRECT))
    .filter(isMissing)
  const plain = folders.filter((folder) => isMissing(join(folder, 'HEAD')))
  return () => {
    for (const path of redirects) remove(path)
    for (const folder of plain.filter(isRepository)) remove(join(folder, 'HEAD'))
  }
}

function isRepository(folder: string): boolean {
  return REPOSITORY.every((name) => !isMissing(join(folder, name)))
}

function isMissing(path: string): boolean {
  return lookAt(path) === undefined
}

function remove(path: string): void {
  if (!isMissing(path)) rmSync(path, { recursive: true, force: true })
}
