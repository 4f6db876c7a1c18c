import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFailure } from './preview.js'

export interface CleanUpOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly maxAgeMs: number
  /** Names of folders to keep regardless of age, such as those of open sessions. */
  readonly keptFolders?: ReadonlySet<string>
}

export interface CleanUpReport {
  readonly removed: readonly string[]
  readonly problems: readonly string[]
}

/**
 * Removes the session folders under `root` that were not written to for longer than `maxAgeMs`.
 * Links and loose files are kept, because Haft did not create them. Never rejects.
 */
export async function cleanUpResults(root: string, options: CleanUpOptions): Promise<CleanUpReport> {
  const removedPaths: string[] = []
  const problems: string[] = []
  for (const name of await listFoldersIn(root, problems)) {
    if (options.keptFolders?.has(name)) continue
    const folder = join(root, name)
    try {
      if (options.now - (await findLastWriteTime(folder)) <= options.maxAgeMs) continue
      await rm(folder, { recursive: true })
      removedPaths.push(name)
    } catch (error) {
      problems.push(`${folder} could not be removed: ${describeFailure(error)}`)
    }
  }
  return { removed: removedPaths, problems }
}

async function listFoldersIn(root: string, problems: string[]): Promise<readonly string[]> {
  try {
    const entries = await readdir(root, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      problems.push(`${root} could not be read: ${describeFailure(error)}`)
    }
    return []
  }
}

/** Returns the newest modification time in a folder. Appending to a file does not change the time of the folder itself. */
async function findLastWriteTime(folder: string): Promise<number> {
  let newestTime = (await lstat(folder)).mtimeMs
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    newestTime = Math.max(newestTime, entry.isDirectory() ? await findLastWriteTime(path) : (await lstat(path)).mtimeMs)
  }
  return newestTime
}
