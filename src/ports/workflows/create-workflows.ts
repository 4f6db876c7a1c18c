import { randomInt, randomUUID } from 'node:crypto'
import { readdirSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { WorkflowJournal, WorkflowsPort } from '../../contract/ports/workflows.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { findLockHolder, tryLock } from '../../system/file-lock.js'
import { makeFolder } from '../../system/make-folder.js'
import { openJournal } from './journal-file.js'

export interface WorkflowsOptions {
  /** The folder for the journals of the project. It belongs to the user, not to the project. */
  readonly folder: string
  /** Whether records must survive a power failure. Default: false. */
  readonly isDurable?: boolean | undefined
}

/** Older journals are deleted. */
const MAX_RUNS = 100
const MAX_LISTED_RUNS = 5
const RUN_ID = /^wf_[0-9a-f]{12}$/
const LAST_RUN = 'last'
const FILE_ENDING = '.jsonl'
const MAX_SEED = 2 ** 32

/** Creates the port for journals, which are files in one folder. */
export function createWorkflows({ folder, isDurable = false }: WorkflowsOptions): WorkflowsPort {
  return {
    async create(script) {
      prepareFolder()
      const runId = `wf_${randomUUID().replaceAll('-', '').slice(0, 12)}`
      const journal = await lockAndOpen(runId, { isNew: true })
      const record = { type: 'run', script, at: Date.now(), seed: randomInt(MAX_SEED) } as const
      await journal.append(record)
      deleteOldRuns()
      return { ...journal, records: [record] }
    },
    async open(name) {
      const runIds = listRuns()
      const runId = name === LAST_RUN ? runIds[0] : name
      if (runId === undefined || !RUN_ID.test(runId) || !runIds.includes(runId))
        throw createUnknownRunError(name, runIds)
      return lockAndOpen(runId, { isNew: false })
    },
  }

  function prepareFolder(): void {
    try {
      makeFolder(folder, { isDurable })
    } catch (cause) {
      const message = `The folder for journals of workflows, ${folder}, cannot be created: ${reasonOf(cause)}.`
      throw new ToolCallError('tool_failed', message, { cause })
    }
  }

  async function lockAndOpen(runId: string, options: { readonly isNew: boolean }): Promise<WorkflowJournal> {
    const lock = tryLock(lockOf(runId))
    if (lock === undefined) {
      const message = `The workflow run ${runId} is still in progress. Wait until it has ended, or start a new run.`
      throw new ToolCallError('tool_failed', message)
    }
    try {
      const file = await openJournal(join(folder, `${runId}${FILE_ENDING}`), { isDurable, ...options })
      return {
        runId,
        records: file.records,
        append: (record) => file.append(record),
        async close() {
          await file.close()
          lock.release()
        },
      }
    } catch (error) {
      lock.release()
      throw error
    }
  }

  function lockOf(runId: string): string {
    return join(folder, `${runId}.lock`)
  }

  /** Returns the ids of all runs, the one that was written last first. */
  function listRuns(): readonly string[] {
    return listFiles(folder)
      .filter((name) => name.endsWith(FILE_ENDING))
      .map((name) => ({ runId: name.slice(0, -FILE_ENDING.length), changedAt: getChangeTime(join(folder, name)) }))
      .sort((a, b) => b.changedAt - a.changedAt)
      .map(({ runId }) => runId)
  }

  function deleteOldRuns(): void {
    for (const runId of listRuns().slice(MAX_RUNS)) {
      if (findLockHolder(lockOf(runId)) !== undefined) continue
      try {
        unlinkSync(join(folder, `${runId}${FILE_ENDING}`))
      } catch {
        // Another process has deleted it.
      }
    }
  }
}

function createUnknownRunError(name: string, runIds: readonly string[]): ToolCallError {
  const advice =
    runIds.length === 0
      ? 'This project has no runs. Start one with a script, without resumeFromRunId.'
      : `The last runs of this project: ${runIds.slice(0, MAX_LISTED_RUNS).join(', ')}.`
  return new ToolCallError('input_refused', `There is no workflow run ${quote(name)}. ${advice}`)
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // No workflow has run in this project yet.
    return []
  }
}

function getChangeTime(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
