import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describeFailure } from './preview.js'

export interface CleanUpOptions {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly maxAgeMs: number
  /** Names of folders to keep regardless of age, such as those of open sessions. */
  readonly keep?: ReadonlySet<string>
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
  const removed: string[] = []
  const problems: string[] = []
  for (const name of await foldersIn(root, problems)) {
    if (options.keep?.has(name)) continue
    const folder = join(root, name)
    try {
      if (options.now - (await lastWriteTime(folder)) <= options.maxAgeMs) continue
      await rm(folder, { recursive: true })
      removed.push(name)
    } catch (error) {
      problems.push(`${folder} could not be removed: ${describeFailure(error)}`)
    }
  }
  return { removed, problems }
}

async function foldersIn(root: string, problems: string[]): Promise<readonly string[]> {
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

/** The newest modification time in a folder. Appending to a file does not change the time of the folder itself. */
async function lastWriteTime(folder: string): Promise<number> {
  let newest = (await lstat(folder)).mtimeMs
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    newest = Math.max(newest, entry.isDirectory() ? await lastWriteTime(path) : (await lstat(path)).mtimeMs)
  }
  return newest
}
