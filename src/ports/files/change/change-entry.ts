import { constants, renameSync, unlinkSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../../../contract/ports/file-error.js'
import type { WriteOptions } from '../../../contract/ports/files.js'
import { pathBytes } from '../../../shared/path-bytes.js'
import { temporaryName } from '../../../system/write-file-atomically.js'
import { resolveLinks } from '../../paths/node-path-facts.js'
import { withFileErrors } from '../file-failure.js'
import { checkFile, createChangedError, hasContent, isSameFile, statEntry } from '../read/known-file.js'
import { withRegularFile } from '../read/open-regular.js'
import { type OpenFolder, openFolder } from './open-folder.js'
import { linkWithoutReplacing, resolveApproved } from './write-file.js'

/** Removes a file, or a link without its target. Throws if the content is not as expected. */
export function removeFile(path: string, options: Omit<WriteOptions, 'mode'>): Promise<void> {
  return withFileErrors(path, async () => {
    if (options.realPath !== undefined) await resolveApproved(path, options.realPath)
    await withEntry(path, false, async ({ entryPath }) => {
      const checkedStats = await checkEntry(entryPath, path, options.expected)
      if (checkedStats === undefined) throw new FileError('missing', path, `${path} does not exist.`)
      if (!isSameFile(statEntry(entryPath), checkedStats)) throw createChangedError(path)
      unlinkSync(entryPath)
    })
  })
}

/** The stats of an entry, after checking that its content (for a link, the content of its target) is as expected. */
export async function checkEntry(entryPath: string | Buffer, path: string, expected: WriteOptions['expected']) {
  const found = statEntry(entryPath)
  if (found?.isSymbolicLink() !== true) return checkFile(entryPath, path, expected)
  if (expected === 'absent') throw new FileError('exists', path, `${path} already exists.`)
  if (expected === undefined) return found
  const isAsExpected = await withRegularFile(path, undefined, ({ descriptor }) => hasContent(descriptor, expected))
  if (!isAsExpected) throw createChangedError(path)
  return found
}

/** Renames a file, link or folder. Never overwrites. */
export function moveFile(from: string, to: string): Promise<void> {
  return withEntry(from, false, (source) =>
    withEntry(to, true, async (target) => {
      const found = statEntry(source.entryPath)
      if (found === undefined) throw new FileError('missing', from, `${from} does not exist.`)
      if (statEntry(target.entryPath) !== undefined) throw new FileError('exists', to, `${to} already exists.`)
      if (found.isDirectory()) renameSync(source.entryPath, target.entryPath)
      else await moveFileOrLink(source, target)
    }),
  )
}

async function moveFileOrLink(source: OpenEntry, target: OpenEntry): Promise<void> {
  if (statEntry(source.folder.at('.'))?.dev === statEntry(target.folder.at('.'))?.dev) {
    linkWithoutReplacing(source.entryPath, target.entryPath)
    return
  }
  const staged = target.folder.at(temporaryName())
  try {
    await copyFile(source.entryPath, staged, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    linkWithoutReplacing(staged, target.entryPath)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
  unlinkSync(source.entryPath)
}

export function changeMode(path: string, mode: number): Promise<void> {
  return withFileErrors(path, () => chmod(pathBytes(path), mode))
}

async function withEntry<T>(path: string, shouldCreate: boolean, use: (entry: OpenEntry) => Promise<T>): Promise<T> {
  return withFileErrors(path, async () => {
    const entry = await openEntry(path, { shouldCreate })
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

/** An entry of an open folder. If the entry is a link, the link itself is meant. */
export interface OpenEntry {
  readonly folder: OpenFolder
  readonly name: string
  readonly entryPath: string | Buffer
  /** The real path of the folder plus the name. */
  readonly path: string
}

export async function openEntry(path: string, { shouldCreate = false } = {}): Promise<OpenEntry> {
  const folder = await openFolder(await resolveLinks(dirname(path)), { shouldCreate })
  const name = basename(path)
  return { folder, name, entryPath: folder.at(name), path: join(folder.path, name) }
}
