import { accessSync, constants } from 'node:fs'
import { basename, join } from 'node:path'
import { contentHash } from '../../shared/content-hash.js'
import { makeFolder } from '../../system/make-folder.js'

/** Returns the folder of all checkpoints of a user. It contains a folder for each project. */
export function getCheckpointsRoot(homeDir: string): string {
  return join(homeDir, '.haft', 'checkpoints')
}

/** Returns the folder for the checkpoints of a project. It belongs to the user, not to the project. */
export function checkpointsFolderOf(homeDir: string, projectRoot: string): string {
  const name = basename(projectRoot).replace(/[^\w.-]/g, '_')
  return join(getCheckpointsRoot(homeDir), `${name}-${contentHash(Buffer.from(projectRoot)).slice(0, 16)}`)
}

/** ENOSPC is not included, because there may be space for the next call. */
const UNWRITABLE_CODES: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS'])

/** Returns why a folder cannot be written to; undefined if it can or that is uncertain. Creates a missing folder. */
export function findFolderProblem(folder: string, { isDurable }: { readonly isDurable: boolean }): string | undefined {
  try {
    makeFolder(folder, { isDurable })
    accessSync(join(folder, '/'), constants.W_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return UNWRITABLE_CODES.has(code) ? `${folder} cannot be written to (${code})` : undefined
  }
}
