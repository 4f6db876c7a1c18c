import { type BigIntStats, constants, linkSync, renameSync, unlinkSync } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { WriteOptions, WrittenFile } from '../../../contract/ports/files.js'
import type { FileContent } from '../../../shared/file-content.js'
import { createTemporaryName, writeNewFile } from '../../../system/write-file-atomically.js'
import { resolveLinks } from '../../paths/node-path-facts.js'
import { createMovedError } from '../../paths/opened-path.js'
import { hasErrorCode, withFileErrors } from '../file-failure.js'
import { checkFile, countOtherNames, createChangedError, isSameFile, statEntry } from '../read/known-file.js'
import { toMilliseconds } from '../read/open-regular.js'
import { type OpenFolder, openFolder, type TemporaryFileCleaner } from './open-folder.js'

const MIN_LARGE_BYTES = 1024n ** 2n

/** Replaces a file atomically. Other programs see either the old or the new content, even if this process is killed. */
export function writeFile(
  path: string,
  content: FileContent,
  options: WriteOptions,
  cleaner: TemporaryFileCleaner,
): Promise<WrittenFile> {
  return withFileErrors(path, async () => {
    const target = await resolveApproved(path, options.realPath)
    const folder = await openFolder(dirname(target), {
      shouldCreate: options.expected === undefined || options.expected === 'absent',
    })
    try {
      await cleaner.clean(folder)
      return { ...(await replaceFile(folder, target, content, path, options)), realPath: target }
    } catch (error) {
      await folder.undo()
      throw error
    } finally {
      await folder.close()
    }
  })
}

/** Resolves a path. Throws if it no longer leads to the approved target. */
export async function resolveApproved(path: string, approvedPath: string | undefined): Promise<string> {
  const target = await resolveLinks(path)
  if (approvedPath !== undefined && target !== approvedPath) throw createMovedError(path)
  return target
}

async function replaceFile(
  folder: OpenFolder,
  target: string,
  content: FileContent,
  path: string,
  { mode, expected }: WriteOptions,
): Promise<Omit<WrittenFile, 'realPath'>> {
  const entryPath = folder.at(basename(target))
  const oldStats = await checkFile(entryPath, path, typeof expected === 'object' ? undefined : expected)
  await checkWritable(entryPath, oldStats)
  const stagedFile = await stageFile(folder, content, { oldStats, mode })
  const release = await keepLargeOpen(entryPath, oldStats)
  try {
    const checkedStats = await checkFile(entryPath, path, expected)
    moveIntoPlace(stagedFile, entryPath, path, { checkedStats, isChecked: expected !== undefined })
  } catch (error) {
    await stagedFile.drop()
    throw error
  } finally {
    release()
  }
  return { mtimeMs: toMilliseconds(stagedFile.stats.mtimeNs), ...countOtherNames(oldStats) }
}

/**
 * Holds a large file open and returns a function that closes it. Removing its last link would take long; with an open
 * handle, this work is done when the handle is closed, in another thread.
 */
async function keepLargeOpen(entryPath: string | Buffer, oldStats: BigIntStats | undefined): Promise<() => void> {
  if (oldStats === undefined || oldStats.size < MIN_LARGE_BYTES) return () => {}
  const handle = await open(entryPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined)
  return () => void handle?.close().catch(() => {})
}

type CheckedState = { readonly checkedStats: ReturnType<typeof statEntry>; readonly isChecked: boolean }

/** Synchronous, so that no other code runs between the last check and the change. */
function moveIntoPlace(
  stagedFile: StagedFile,
  entryPath: string | Buffer,
  path: string,
  { checkedStats, isChecked }: CheckedState,
): void {
  if (isChecked && checkedStats === undefined) {
    linkWithoutReplacing(stagedFile.entryPath, entryPath)
    return
  }
  if (isChecked && !isSameFile(statEntry(entryPath), checkedStats)) throw createChangedError(path)
  renameSync(stagedFile.entryPath, entryPath)
}

/** Puts a file in place with a hard link, which fails if the target exists. A rename would replace it. */
export function linkWithoutReplacing(from: string | Buffer, to: string | Buffer): void {
  try {
    linkSync(from, to)
    unlinkSync(from)
  } catch (error) {
    // The file system may not support hard links.
    if (!hasErrorCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV') || statEntry(to) !== undefined)
      throw error
    renameSync(from, to)
  }
}

/** New content in a temporary file beside the file that it will replace. */
export interface StagedFile {
  readonly name: string
  readonly entryPath: string | Buffer
  readonly stats: BigIntStats
  drop(): Promise<void>
}

/** Writes new content to a temporary file, with the owner and mode of the file that it will replace. */
export async function stageFile(
  folder: OpenFolder,
  content: FileContent,
  { oldStats, mode }: { readonly oldStats: BigIntStats | undefined; readonly mode: number | undefined },
): Promise<StagedFile> {
  const name = createTemporaryName()
  const entryPath = folder.at(name)
  const newMode = mode ?? (oldStats === undefined ? undefined : Number(oldStats.mode & 0o7777n))
  const stats = await writeNewFile(entryPath, content, { mode: newMode, owner: oldStats })
  return { name, entryPath, stats, drop: () => rm(entryPath, { force: true }) }
}

/** Throws if the file is read-only, although its folder would permit replacing it. */
export async function checkWritable(entryPath: string | Buffer, oldStats: BigIntStats | undefined): Promise<void> {
  if (oldStats !== undefined) await access(entryPath, constants.W_OK)
}
