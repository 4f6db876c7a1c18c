import { constants, fstatSync, renameSync, unlinkSync } from 'node:fs'
import { chmod, copyFile, open, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../../../contract/ports/file-error.js'
import type { MoveOptions, WriteOptions } from '../../../contract/ports/files.js'
import { toPathBytes } from '../../../shared/path-bytes.js'
import { createTemporaryName } from '../../../system/write-file-atomically.js'
import { resolveLinks } from '../../paths/node-path-facts.js'
import { createMovedError, readOpenedPath } from '../../paths/opened-path.js'
import { withFileErrors } from '../file-failure.js'
import { checkFile, createChangedError, hasContent, isSameFile, statEntry } from '../read/known-file.js'
import { withRegularFile } from '../read/open-regular.js'
import { type OpenFolder, openFolder } from './open-folder.js'
import { linkWithoutReplacing, resolveApproved } from './write-file.js'

/** Removes a file, or a link but not its target. Throws if the content is not as expected. */
export function removeFile(path: string, options: Omit<WriteOptions, 'mode'>): Promise<void> {
  return withFileErrors(path, async () => {
    if (options.realPath !== undefined) await resolveApproved(path, options.realPath)
    await withEntry(path, { approvedPath: options.entryPath }, async ({ entryPath }) => {
      const checkedStats = await checkEntry(entryPath, path, options)
      if (checkedStats === undefined) throw new FileError('missing', path, `${path} does not exist.`)
      if (!isSameFile(statEntry(entryPath), checkedStats)) throw createChangedError(path)
      unlinkSync(entryPath)
    })
  })
}

/** Checks that the content of an entry (for a link, of its target) is as expected, and returns the entry's stats. */
export async function checkEntry(
  entryPath: string | Buffer,
  path: string,
  { expected, realPath }: Pick<WriteOptions, 'expected' | 'realPath'>,
) {
  const entryStats = statEntry(entryPath)
  if (entryStats?.isSymbolicLink() !== true) return checkFile(entryPath, path, expected)
  if (expected === 'absent') throw new FileError('exists', path, `${path} already exists.`)
  if (expected === undefined) return entryStats
  const isAsExpected = await withRegularFile(path, realPath, ({ descriptor }) => hasContent(descriptor, expected))
  if (!isAsExpected) throw createChangedError(path)
  return entryStats
}

/** Renames a file, link or folder. Never replaces an existing entry. */
export function moveFile(from: string, to: string, { entryPath, toEntryPath }: MoveOptions = {}): Promise<void> {
  return withEntry(from, { approvedPath: entryPath }, (source) =>
    withEntry(to, { approvedPath: toEntryPath, shouldCreate: true }, async (target) => {
      const sourceStats = statEntry(source.entryPath)
      if (sourceStats === undefined) throw new FileError('missing', from, `${from} does not exist.`)
      if (statEntry(target.entryPath) !== undefined) throw new FileError('exists', to, `${to} already exists.`)
      if (sourceStats.isDirectory()) renameSync(source.entryPath, target.entryPath)
      else await moveFileOrLink(source, target)
    }),
  )
}

async function moveFileOrLink(source: OpenEntry, target: OpenEntry): Promise<void> {
  if (statEntry(source.folder.at('.'))?.dev === statEntry(target.folder.at('.'))?.dev) {
    linkWithoutReplacing(source.entryPath, target.entryPath)
    return
  }
  const stagedPath = target.folder.at(createTemporaryName())
  try {
    await copyFile(source.entryPath, stagedPath, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    linkWithoutReplacing(stagedPath, target.entryPath)
  } catch (error) {
    await rm(stagedPath, { force: true })
    throw error
  }
  unlinkSync(source.entryPath)
}

export function changeMode(path: string, mode: number, approvedPath?: string): Promise<void> {
  return withFileErrors(path, async () => {
    if (approvedPath === undefined) return chmod(toPathBytes(path), mode)
    await resolveApproved(path, approvedPath)
    const handle = await open(
      toPathBytes(approvedPath),
      constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    )
    try {
      if (readOpenedPath(handle.fd, fstatSync(handle.fd), approvedPath) !== approvedPath) throw createMovedError(path)
      await handle.chmod(mode)
    } finally {
      await handle.close()
    }
  })
}

interface EntryOptions {
  readonly shouldCreate?: boolean
  /** The path of the entry for which permission was decided. */
  readonly approvedPath?: string | undefined
}

async function withEntry<T>(path: string, options: EntryOptions, use: (entry: OpenEntry) => Promise<T>): Promise<T> {
  return withFileErrors(path, async () => {
    const resolvedPath = await resolveEntry(path, options.approvedPath)
    const entry = await openEntry(resolvedPath, options)
    try {
      return await use(entry)
    } catch (error) {
      await entry.folder.undo()
      throw error
    } finally {
      await entry.folder.close()
    }
  })
}

/** An entry of an open folder. For a link, this is the link itself. */
export interface OpenEntry {
  readonly folder: OpenFolder
  readonly name: string
  readonly entryPath: string | Buffer
  /** The real path of the folder plus the name. */
  readonly path: string
}

/** Resolves the links in the folder of an entry. Throws if it is no longer the approved entry. */
export async function resolveEntry(path: string, approvedPath: string | undefined): Promise<string> {
  const entryPath = join(await resolveLinks(dirname(path)), basename(path))
  if (approvedPath !== undefined && entryPath !== approvedPath) throw createMovedError(path)
  return entryPath
}

/** Opens an entry by the real path of its folder. Throws if the folder has become a link. */
export async function openEntry(path: string, { shouldCreate = false }: EntryOptions = {}): Promise<OpenEntry> {
  const folder = await openFolder(dirname(path), { shouldCreate })
  const name = basename(path)
  return { folder, name, entryPath: folder.at(name), path: join(folder.path, name) }
}
