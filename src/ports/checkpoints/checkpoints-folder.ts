import { accessSync, constants } from 'node:fs'
import { basename, join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { makeFolder } from '../../system/make-folder.js'

/** Where all checkpoints of a user are, a folder for each project. */
export function checkpointsRoot(homeDir: string): string {
  return join(homeDir, '.haft', 'checkpoints')
}

/** Where the checkpoints of a project are kept: with the user, not with the project. */
export function checkpointsFolder(homeDir: string, projectRoot: string): string {
  const name = basename(projectRoot).replace(/[^\w.-]/g, '_')
  return join(checkpointsRoot(homeDir), `${name}-${contentHash(Buffer.from(projectRoot)).slice(0, 16)}`)
}

/** A disk that is full is not among them: it has a place, and may have room for the next call. */
const NO_PLACE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS'])

/** Why nothing can ever be kept in a folder, which is made; undefined where it can, or where it has to be tried. */
export function placeProblem(folder: string): string | undefined {
  try {
    makeFolder(folder)
    accessSync(join(folder, '/'), constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return NO_PLACE.has(code) ? `${folder} cannot be written to (${code})` : undefined
  }
}
