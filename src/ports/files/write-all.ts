import { renameSync, unlinkSync } from 'node:fs'
import type { FileChange, WrittenFile } from '../../contract/ports/files.js'
import type { ChangeJournal } from './change-journal.js'
import { type ChangeRecord, dropBackups, rollBack } from './change-step.js'
import { asFileError } from './file-failure.js'
import { changedError, lookAt, otherNames } from './known-file.js'
import type { LitterCleaner } from './litter.js'
import { mtimeMs } from './mtime-ms.js'
import { planChanges } from './plan-change.js'
import { prepareEntry, type ReadyEntry } from './prepare-entry.js'
import { isSameFile } from './same-file.js'
import { putWhereNothingIs } from './write-file.js'

/** Makes several changes as one: all content lies ready, and all that goes is kept, before the first name changes. */
export async function writeAll(
  changes: readonly FileChange[],
  journal: ChangeJournal,
  litter: LitterCleaner,
): Promise<readonly (WrittenFile | undefined)[]> {
  const ready: ReadyEntry[] = []
  let strikeOut = async () => {}
  try {
    for (const plan of await planChanges(changes)) ready.push(await prepareEntry(plan, litter))
    strikeOut = await journal.begin(recordOf(ready))
    for (const each of ready) apply(each)
    // From here on the change has been made.
    await strikeOut()
    dropBackups(recordOf(ready))
    return changes.map((change) =>
      resultOf(ready.find(({ plan }) => plan.change === change && plan.content !== undefined)),
    )
  } catch (error) {
    await rollBack(recordOf(ready))
    await strikeOut()
    throw error
  } finally {
    for (const { entry } of ready) await entry.folder.close()
  }
}

function recordOf(ready: readonly ReadyEntry[]): ChangeRecord {
  return { steps: ready.map(({ step }) => step), madeFolders: ready.flatMap(({ entry }) => entry.folder.made) }
}

/** Without a pause from the first entry to the last: who looks meanwhile has no time to see half of it. */
function apply({ plan, entry, step, known }: ReadyEntry): void {
  try {
    if (!isSameFile(lookAt(entry.place), known)) throw changedError(plan.path)
    if (step.staged === undefined) unlinkSync(entry.place)
    else if (known === undefined) putWhereNothingIs(entry.folder.at(step.staged.name), entry.place)
    else renameSync(entry.folder.at(step.staged.name), entry.place)
  } catch (error) {
    throw asFileError(error, plan.path)
  }
}

function resultOf(ready: ReadyEntry | undefined): WrittenFile | undefined {
  if (ready === undefined) return undefined
  const { plan, step, former } = ready
  const changedAt = mtimeMs(BigInt(step.staged?.mtimeNs ?? 0))
  return { realPath: plan.target, mtimeMs: changedAt, ...otherNames(former) }
}
