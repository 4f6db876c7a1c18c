import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { toProjectFolderName } from '../../shared/project-folder-name.js'
import { claimDailyWork, isDailyWorkDue } from '../../system/daily-work.js'
import { makeFolder } from '../../system/make-folder.js'

/** Returns the folder of all checkpoints of a user. It contains a folder for each project. */
export function getCheckpointsRoot(homeDir: string): string {
  return join(homeDir, '.haft', 'checkpoints')
}

/** Returns the folder for the checkpoints of a project. It belongs to the user, not to the project. */
export function toCheckpointsFolder(homeDir: string, projectRoot: string): string {
  return join(getCheckpointsRoot(homeDir), toProjectFolderName(projectRoot))
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

/** Records when the folder was last pruned. */
const STAMP_FILE = 'pruned'

/** Whether `claimPruning` must be called: the folder has no stamp yet, or its daily pruning is due. */
export function isPruningDue(folder: string, now = Date.now()): boolean {
  try {
    return (
      existsSync(folder) && (!existsSync(join(folder, STAMP_FILE)) || isDailyWorkDue(join(folder, STAMP_FILE), now))
    )
  } catch {
    // The folder cannot be read, for example because there is no home directory, so there is nothing to prune.
    return false
  }
}

/** Returns whether the caller must prune this folder now, and records that it does. */
export function claimPruning(folder: string, now: number): boolean {
  return existsSync(folder) && claimDailyWork(join(folder, STAMP_FILE), now)
}
