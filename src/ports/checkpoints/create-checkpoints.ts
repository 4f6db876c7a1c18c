import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { CheckpointsPort } from '../../contract/ports/checkpoints.js'
import type { WorkEnd } from '../../contract/ports/tasks.js'
import { formatIdentity } from '../../system/processes/process-identity.js'
import type { ChangedPath, RunChange } from '../files/create-files.js'
import { applyStates, RewindError } from './apply-states.js'
import { createBlobStore } from './blob-store.js'
import { CheckpointLog, type CheckpointRecord } from './checkpoint-log.js'
import { findFolderProblem } from './checkpoints-folder.js'
import { captureAfter, captureBefore, type EntryState, type EntryStates, findWrittenPaths } from './entry-state.js'
import { listNeededChanges, planRewind } from './plan-rewind.js'
import { DEFAULT_RETENTION, PRUNE_AFTER_BYTES, pruneCheckpoints } from './prune-checkpoints.js'
import { pruneWhenDue } from './prune-when-due.js'

export interface CheckpointsOptions {
  /** The user's folder for the checkpoints of one project. It must be outside the project. */
  readonly folder: string
  readonly session: string
  /** Called once if checkpoints cannot be stored at all. Calls then run without them. */
  readonly onProblem?: ((problem: string) => void) | undefined
  /** Whether checkpoints must survive a power failure. A call then waits until its checkpoint is on the disk. Default: false. */
  readonly isDurable?: boolean | undefined
}

export interface RewindResult {
  /** The checkpoint that undoes the rewind; undefined if nothing had to be restored. */
  readonly id: string | undefined
  readonly paths: readonly string[]
  /** The number of undone calls that may have changed more than was recorded. */
  readonly uncovered: number
}

export interface Checkpoints extends CheckpointsPort {
  /** Lists the checkpoints, oldest first. */
  list(): Promise<readonly CheckpointRecord[]>
  /**
   * Restores the state before a call by undoing that call and all later calls of the project. If that is not possible, nothing
   * changes.
   */
  restore(id: string): Promise<RewindResult>
  /** For a `files` port: saves the state of paths that a call changes beyond the writes it declared. */
  readonly runRecordedChange: RunChange
  /** Waits until the ends of finished calls are recorded. Running calls stay open. Prunes if that is due. */
  close(): Promise<void>
}

interface OpenCheckpoint {
  readonly id: string
  readonly before: EntryStates
  readonly treeRoots: readonly string[]
}

export function createCheckpoints({ folder, session, onProblem, isDurable = false }: CheckpointsOptions): Checkpoints {
  const blobs = createBlobStore(join(folder, 'blobs'), { isDurable })
  const log = new CheckpointLog(join(folder, 'log.jsonl'), { isDurable })
  const openCheckpoints = new Map<string, readonly OpenCheckpoint[]>()
  const pendingSaves = new Map<string, Promise<void>>()
  let hasAddedCheckpoint = false
  let pruneAtBytes = PRUNE_AFTER_BYTES
  const pendingWork = new Set<Promise<void>>()
  let isUnwritable: boolean | undefined
  /** Checked only before the first change. A later failure makes only the affected call fail. */
  const isStorageUnwritable = (): boolean => {
    if (isUnwritable !== undefined) return isUnwritable
    const problem = findFolderProblem(folder, { isDurable })
    if (problem !== undefined) onProblem?.(`Changes cannot be undone: ${problem}.`)
    isUnwritable = problem !== undefined
    return isUnwritable
  }

  const begin = async (
    writes: readonly ChangedPath[],
    details: Partial<Pick<CheckpointRecord, 'toolUseId' | 'title' | 'unknown' | 'goal' | 'rewindTo'>>,
  ): Promise<OpenCheckpoint> => {
    const { before, trees, isPartial } = await captureBefore(writes, (content) => blobs.put(content))
    hasAddedCheckpoint = true
    // The ID is short enough to type and long enough to be unique within a project.
    const id = randomBytes(6).toString('hex')
    const unknown = isPartial || details.unknown === true
    log.add({ type: 'saved', id, at: Date.now(), session, owner: formatIdentity(), before, ...details, unknown })
    return { id, before, treeRoots: trees }
  }
  const end = async ({ id, before, treeRoots }: OpenCheckpoint, { mayLeaveProcesses }: WorkEnd = {}): Promise<void> => {
    const { after, appeared } = await captureAfter(before, treeRoots)
    log.add({ type: 'settled', id, before: appeared, after, ...(mayLeaveProcesses && { leavesRest: true }) })
  }
  const endAll = async (checkpoints: readonly OpenCheckpoint[], workEnd?: WorkEnd): Promise<void> => {
    for (const checkpoint of checkpoints) await end(checkpoint, workEnd)
    if (blobs.bytesPut < pruneAtBytes) return
    pruneAtBytes = blobs.bytesPut + PRUNE_AFTER_BYTES
    // Pruning runs in the background. If it fails, the next pruning tries again. Only the size counts here, because the age
    // depends on the clock.
    void finishBeforeClose(
      pruneCheckpoints(folder, { ...DEFAULT_RETENTION, maxAgeMs: Number.POSITIVE_INFINITY }),
    ).catch(() => {})
  }
  const finishBeforeClose = async (work: Promise<void>): Promise<void> => {
    pendingWork.add(work)
    await work.finally(() => pendingWork.delete(work))
  }

  const save: CheckpointsPort['save'] = async (toolUseId, writes, { unknown = false, title, judgedPaths } = {}) => {
    if (isStorageUnwritable()) return
    const earlierCheckpoints = openCheckpoints.get(toolUseId) ?? []
    // A call may contain other calls. Only the state before the first of them is kept for each path.
    const newPaths = writes.filter((path) => !earlierCheckpoints.some(({ before }) => path in before))
    if (earlierCheckpoints.length > 0 && newPaths.length === 0 && !unknown) return
    openCheckpoints.set(toolUseId, [
      ...earlierCheckpoints,
      await begin(
        newPaths.map((path) => ({ path, ...judgedPaths?.get(path) })),
        { toolUseId, unknown, ...(title !== undefined && { title }) },
      ),
    ])
  }

  return {
    save(toolUseId, writes, options) {
      // Saves for the same call run one after the other.
      const earlierSave = pendingSaves.get(toolUseId)?.catch(() => {})
      const savePromise = earlierSave?.then(() => save(toolUseId, writes, options)) ?? save(toolUseId, writes, options)
      pendingSaves.set(toolUseId, savePromise)
      return savePromise
    },
    async settle(toolUseId, backgroundWork) {
      // A failed save has already been reported to its own caller.
      await pendingSaves.get(toolUseId)?.catch(() => {})
      pendingSaves.delete(toolUseId)
      const checkpoints = openCheckpoints.get(toolUseId) ?? []
      openCheckpoints.delete(toolUseId)
      if (backgroundWork === undefined) return endAll(checkpoints)
      await finishBeforeClose(endAll(checkpoints, await backgroundWork))
    },
    async runRecordedChange(paths, change) {
      if (isStorageUnwritable()) return change()
      const savedCheckpoints = [...openCheckpoints.values()].flat()
      const isSaved = (path: string) => savedCheckpoints.some(({ before }) => path in before)
      if (paths.every(({ path }) => savedCheckpoints.some(({ before }) => isFullySaved(before[path])))) return change()
      const writtenPaths = await Promise.all(paths.map(findWrittenPaths))
      if (writtenPaths.every(({ entries, trees }) => [...entries, ...trees].every(isSaved))) return change()
      const checkpoint = await begin(paths, {})
      try {
        return await change()
      } finally {
        await end(checkpoint)
      }
    },
    list: () => log.read(),
    async restore(id) {
      const records = await log.read()
      const start = records.findIndex((record) => record.id === id)
      if (start === -1)
        throw new RewindError([], `There is no checkpoint ${id}. To list the checkpoints, run: haft rewind --list`)
      const plan = planRewind(records.slice(start))
      const goal = await listNeededChanges(plan)
      const { uncoveredCount: uncovered } = plan
      if (Object.keys(goal).length === 0) return { id: undefined, paths: [], uncovered }
      await requireBlobs(goal, async (hash) => (await blobs.get(hash)) !== undefined)
      const checkpoint = await begin(
        Object.keys(goal).map((path) => ({ path, entryPath: path, realPath: path })),
        { goal, rewindTo: id },
      )
      try {
        await applyStates(goal, blobs)
      } catch (error) {
        await applyStates(checkpoint.before, blobs)
        throw error
      } finally {
        await end(checkpoint)
      }
      return { id: checkpoint.id, paths: Object.keys(goal), uncovered }
    },
    async close() {
      await Promise.allSettled(pendingWork)
      log.close()
      // If no checkpoint was added, there is nothing to prune.
      if (hasAddedCheckpoint) await pruneWhenDue(folder)
    },
  }
}

/** Whether the saved state is complete. A change to a folder or link can affect other entries. */
function isFullySaved(stateBefore: EntryState | undefined): boolean {
  return stateBefore?.kind === 'file' || stateBefore?.kind === 'absent'
}

async function requireBlobs(goal: EntryStates, isStored: (hash: string) => Promise<boolean>): Promise<void> {
  for (const [path, state] of Object.entries(goal)) {
    if (state.kind === 'file' && !(await isStored(state.hash))) {
      throw new RewindError([{ path, reason: 'cannot be restored, because its stored content is missing or damaged' }])
    }
  }
}
