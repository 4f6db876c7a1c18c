import { RewindError } from '../../../ports/checkpoints/apply-states.js'
import { toCheckpointsFolder } from '../../../ports/checkpoints/checkpoints-folder.js'
import { createCheckpoints } from '../../../ports/checkpoints/create-checkpoints.js'
import { listChanges } from '../../../ports/checkpoints/plan-rewind.js'

interface RewindOptions {
  readonly home: string
  readonly projectRoot: string
  readonly sessionId: string
  /** Calls that started since then are undone. */
  readonly startedAt: number
  readonly isDryRun: boolean
}

/** Restores the files from before the first call of the session since a time. */
export async function rewindFiles(options: RewindOptions): Promise<Readonly<Record<string, unknown>>> {
  const { home, projectRoot, sessionId, startedAt, isDryRun } = options
  const checkpoints = createCheckpoints({
    folder: toCheckpointsFolder(home, projectRoot),
    session: sessionId,
    isDurable: true,
  })
  try {
    const laterRecords = (await checkpoints.list()).filter(({ at }) => at >= startedAt)
    const record = laterRecords.find(({ session }) => session === sessionId)
    if (record === undefined) return { canRewind: true, filesChanged: [] }
    if (isDryRun) {
      const paths = new Set(laterRecords.flatMap((later) => listChanges(later).map(({ path }) => path)))
      return { canRewind: true, filesChanged: [...paths] }
    }
    const { paths } = await checkpoints.restore(record.id)
    return { canRewind: true, filesChanged: paths }
  } catch (error) {
    if (!(error instanceof RewindError)) throw error
    const conflicts = error.conflicts.map(({ path, reason }) => `${path} ${reason}`)
    return { canRewind: false, error: conflicts.join('; ') || error.message }
  } finally {
    await checkpoints.close()
  }
}
