import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanUpResults } from '../results/clean-up-results.js'

const MAX_AGE_MS = 7 * 24 * 60 * 60 * 1000

/** Where the long results of one run go. They outlive it, because whoever got a preview may read on later. */
export async function openResultsFolder(homeDir: string, name: string) {
  const home = await realpath(homeDir).catch(() => homeDir)
  const root = join(home, '.haft', 'results')
  const directory = join(root, name)
  return {
    directory,
    /** Removes what runs of long ago left, if this one left something, too. */
    async cleanUp(): Promise<void> {
      if (!existsSync(directory)) return
      await cleanUpResults(root, { now: Date.now(), maxAgeMs: MAX_AGE_MS, keep: new Set([name]) })
    },
  }
}
