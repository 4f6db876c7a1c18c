import { type BigIntStats, constants, renameSync, unlinkSync } from 'node:fs'
import { copyFile, link } from 'node:fs/promises'
import { FileError } from '../../../contract/ports/file-error.js'
import type { ExpectedContent, FileChange, WrittenFile } from '../../../contract/ports/files.js'
import { createTemporaryName } from '../../../system/write-file-atomically.js'
import { hasErrorCode, toFileError, withFileErrors } from '../file-failure.js'
import { checkFile, countOtherNames, createChangedError, isSameFile, statEntry } from '../read/known-file.js'
import { toMilliseconds } from '../read/open-regular.js'
import { readFile } from '../read/read-file.js'
import { checkEntry, type OpenEntry, openEntry, resolveEntry } from './change-entry.js'
import { type ChangeJournal, type ChangeRecord, type ChangeStep, dropBackups, rollBack } from './change-journal.js'
import type { TemporaryFileCleaner } from './open-folder.js'
import { checkWritable, linkWithoutReplacing, resolveApproved, stageFile } from './write-file.js'

/** Makes several changes atomically: all content is staged and all backups exist before the first rename. */
export async function writeAll(
  changes: readonly FileChange[],
  journal: ChangeJournal,
  cleaner: TemporaryFileCleaner,
): Promise<readonly (WrittenFile | undefined)[]> {
  const readyEntries: ReadyEntry[] = []
  let removeRecord = async () => {}
  try {
    for (const plan of await planChanges(changes)) readyEntries.push(await prepareEntry(plan, cleaner))
    removeRecord = await journal.begin(createRecord(readyEntries))
    for (const entry of readyEntries) applyEntry(entry)
    // Removing the record commits the change, because the next start then does not roll it back.
    await removeRecord()
    dropBackups(createRecord(readyEntries))
    return changes.map((change) =>
      toWrittenFile(readyEntries.find(({ plan }) => plan.change === change && plan.content !== undefined)),
    )
  } catch (error) {
    await rollBack(createRecord(readyEntries))
    await removeRecord()
    throw error
  } finally {
    for (const { entry } of readyEntries) await entry.folder.close()
  }
}

function createRecord(entries: readonly ReadyEntry[]): ChangeRecord {
  return {
    steps: entries.map(({ step }) => step),
    madeFolders: entries.flatMap(({ entry }) => entry.folder.createdFolders),
  }
}

/** Applies an entry synchronously, so that other programs rarely see a partial change. */
function applyEntry({ plan, entry, step, checkedStats }: ReadyEntry): void {
  try {
    if (!isSameFile(statEntry(entry.entryPath), checkedStats)) throw createChangedError(plan.path)
    if (step.staged === undefined) unlinkSync(entry.entryPath)
    else if (checkedStats === undefined) linkWithoutReplacing(entry.folder.at(step.staged.name), entry.entryPath)
    else renameSync(entry.folder.at(step.staged.name), entry.entryPath)
  } catch (error) {
    throw toFileError(error, plan.path)
  }
}

function toWrittenFile(entry: ReadyEntry | undefined): WrittenFile | undefined {
  if (entry === undefined) return undefined
  const { plan, step, oldStats } = entry
  const changedAt = toMilliseconds(BigInt(step.staged?.mtimeNs ?? 0))
  return { realPath: plan.target, mtimeMs: changedAt, ...countOtherNames(oldStats) }
}

/** The planned change of one folder entry. */
interface EntryPlan {
  readonly change: FileChange
  readonly path: string
  /** For a write, the resolved path. For a removal, the entry itself, which may be a link. */
  readonly target: string
  /** Omitted if the entry is removed. */
  readonly content?: Uint8Array
  readonly mode?: number
  readonly expected?: ExpectedContent
  /** The path that permission was decided for, if `path` is a link that is removed. */
  readonly realPath?: string
}

/** Splits changes into one plan for each entry. No entry may be changed twice. */
async function planChanges(changes: readonly FileChange[]): Promise<readonly EntryPlan[]> {
  const plans = (
    await Promise.all(changes.map((change) => withFileErrors(change.path, () => planChange(change))))
  ).flat()
  const targets = new Set<string>()
  for (const { target, path } of plans) {
    if (targets.has(target))
      throw new FileError('failed', path, `${path} is changed twice in one call; combine the changes.`)
    targets.add(target)
  }
  return plans
}

async function planChange(change: FileChange): Promise<readonly EntryPlan[]> {
  const { path, expected, realPath, entryPath } = change
  const resolvedPath = await resolveApproved(path, realPath)
  const commonFields = {
    ...{ change, path },
    ...(expected !== undefined && { expected }),
    ...(realPath !== undefined && { realPath }),
  }
  if (change.kind === 'write') {
    const mode = change.mode === undefined ? {} : { mode: change.mode }
    return [{ ...commonFields, target: resolvedPath, content: change.content, ...mode }]
  }
  const removal = { ...commonFields, target: await resolveEntry(path, entryPath) }
  return change.kind === 'remove' ? [removal] : [await planMoveTarget(change), removal]
}

async function planMoveTarget(change: FileChange & { readonly kind: 'move' }): Promise<EntryPlan> {
  const { path, to, realPath, toRealPath } = change
  // The expected content is checked when the source is removed.
  const { content, stat } = await readFile(path, { ...(realPath !== undefined && { realPath }) })
  return {
    change,
    path: to,
    target: await resolveApproved(to, toRealPath),
    content: change.content ?? content,
    mode: change.mode ?? stat.mode,
    expected: 'absent',
  }
}

/** A prepared entry. All that remains to be done is a rename, a hard link or a removal. */
interface ReadyEntry {
  readonly plan: EntryPlan
  readonly entry: OpenEntry
  readonly step: ChangeStep
  readonly checkedStats: BigIntStats | undefined
  /** The stats of the entry before the change. */
  readonly oldStats: BigIntStats | undefined
}

function prepareEntry(plan: EntryPlan, cleaner: TemporaryFileCleaner): Promise<ReadyEntry> {
  return withFileErrors(plan.path, async () => {
    const entry = await openEntry(plan.target, { shouldCreate: plan.content !== undefined })
    const step: ChangeStep = { folder: entry.folder.path, name: entry.name }
    try {
      await cleaner.clean(entry.folder)
      return { plan, entry, step, ...(await stageEntry(plan, entry, step)) }
    } catch (error) {
      await rollBack({ steps: [step], madeFolders: [...entry.folder.createdFolders] })
      await entry.folder.close()
      throw error
    }
  })
}

/** Stages an entry and records its files in the step. Returns the stats that the entry must still have when it is replaced. */
async function stageEntry(plan: EntryPlan, { folder, entryPath }: OpenEntry, step: ChangeStep) {
  const { path, content, mode, expected } = plan
  const oldStats = statEntry(entryPath)
  if (oldStats === undefined && content === undefined) throw new FileError('missing', path, `${path} does not exist.`)
  if (oldStats?.isDirectory()) throw new FileError('is_folder', path, `${path} is a folder, not a file.`)
  if (content !== undefined) await checkWritable(entryPath, oldStats)
  if (oldStats !== undefined && expected !== 'absent') {
    step.backup = createTemporaryName()
    await backUpEntry(entryPath, folder.at(step.backup))
  }
  if (content === undefined) return { oldStats, checkedStats: await checkEntry(entryPath, path, plan) }
  const checkedStats = await checkFile(entryPath, path, expected)
  const { name, stats } = await stageFile(folder, content, { oldStats, mode })
  step.staged = { name, ino: String(stats.ino), mtimeNs: String(stats.mtimeNs) }
  return { oldStats, checkedStats }
}

/** Makes a hard link to an entry, or a copy if hard links are not supported. */
async function backUpEntry(entryPath: string | Buffer, backupPath: string | Buffer): Promise<void> {
  try {
    await link(entryPath, backupPath)
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    await copyFile(entryPath, backupPath, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  }
}
