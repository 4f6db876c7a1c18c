import { type BigIntStats, constants } from 'node:fs'
import { copyFile, link } from 'node:fs/promises'
import { FileError } from '../../contract/ports/file-error.js'
import { temporaryName } from '../../system/write-file-atomically.js'
import { knowEntry } from './change-entry.js'
import { type ChangeStep, rollBack } from './change-step.js'
import { type EntryPlace, openEntry } from './entry-place.js'
import { hasCode, onFile } from './file-failure.js'
import { knowFile, lookAt } from './known-file.js'
import type { LitterCleaner } from './litter.js'
import type { EntryPlan } from './plan-change.js'
import { checkWritable, stageFile } from './stage-file.js'

/** An entry whose new content lies ready and whose old one is kept: only names are left to change. */
export interface ReadyEntry {
  readonly plan: EntryPlan
  readonly entry: EntryPlace
  readonly step: ChangeStep
  readonly known: BigIntStats | undefined
  /** What stood there before anything was done. */
  readonly former: BigIntStats | undefined
}

export function prepareEntry(plan: EntryPlan, litter: LitterCleaner): Promise<ReadyEntry> {
  return onFile(plan.path, async () => {
    const entry = await openEntry(plan.target, { make: plan.content !== undefined })
    const step: ChangeStep = { folder: entry.folder.path, name: entry.name }
    try {
      await litter.clean(entry.folder)
      return { plan, entry, step, ...(await makeReady(plan, entry, step)) }
    } catch (error) {
      await rollBack({ steps: [step], madeFolders: [...entry.folder.made] })
      await entry.folder.close()
      throw error
    }
  })
}

/** Notes in the step what it makes as it goes; gives what must still be there at the end. */
async function makeReady(plan: EntryPlan, { folder, place }: EntryPlace, step: ChangeStep) {
  const { path, content, mode, expected } = plan
  const former = lookAt(place)
  if (former === undefined && content === undefined) throw new FileError('missing', path, `${path} does not exist.`)
  if (former?.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  if (content !== undefined) await checkWritable(place, former)
  if (former !== undefined && expected !== 'absent') {
    step.backup = temporaryName()
    await keepAside(place, folder.at(step.backup))
  }
  const known = await (content === undefined ? knowEntry : knowFile)(place, path, expected)
  if (content === undefined) return { former, known }
  const { name, stats } = await stageFile(folder, content, { former, mode })
  step.staged = { name, ino: String(stats.ino), mtimeNs: String(stats.mtimeNs) }
  return { former, known }
}

/** A second name for what stands at a place, or a copy where there cannot be one. */
async function keepAside(place: string | Buffer, aside: string | Buffer): Promise<void> {
  try {
    await link(place, aside)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    await copyFile(place, aside, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}
