import { constants, renameSync, unlinkSync } from 'node:fs'
import { chmod, copyFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../../../contract/ports/file-error.js'
import type { WriteOptions } from '../../../contract/ports/files.js'
import { pathBytes } from '../../../shared/path-bytes.js'
import { temporaryName } from '../../../system/write-file-atomically.js'
import { resolveLinks } from '../../paths/node-path-facts.js'
import { withFileErrors } from '../file-failure.js'
import { changedError, checkFile, hasContent, isSameFile, lookAt } from '../read/known-file.js'
import { withRegularFile } from '../read/open-regular.js'
import { type FolderPlace, openFolder } from './folder-place.js'
import { linkWithoutReplacing, resolveApproved } from './write-file.js'

/** Removes a file, or a link without its target. Throws if the content is not as expected. */
export function removeFile(path: string, options: Omit<WriteOptions, 'mode'>): Promise<void> {
  return withFileErrors(path, async () => {
    if (options.realPath !== undefined) await resolveApproved(path, options.realPath)
    await withEntry(path, false, async ({ place }) => {
      const checkedStats = await checkEntry(place, path, options.expected)
      if (checkedStats === undefined) throw new FileError('missing', path, `${path} does not exist.`)
      if (!isSameFile(lookAt(place), checkedStats)) throw changedError(path)
      unlinkSync(place)
    })
  })
}

/** The stats of an entry, after checking that its content (for a link, the content of its target) is as expected. */
export async function checkEntry(place: string | Buffer, path: string, expected: WriteOptions['expected']) {
  const found = lookAt(place)
  if (found?.isSymbolicLink() !== true) return checkFile(place, path, expected)
  if (expected === 'absent') throw new FileError('exists', path, `${path} exists already.`)
  if (expected === undefined) return found
  const isAsExpected = await withRegularFile(path, undefined, ({ descriptor }) => hasContent(descriptor, expected))
  if (!isAsExpected) throw changedError(path)
  return found
}

/** Renames a file, link or folder. Never overwrites. */
export function moveFile(from: string, to: string): Promise<void> {
  return withEntry(from, false, (source) =>
    withEntry(to, true, async (target) => {
      const found = lookAt(source.place)
      if (found === undefined) throw new FileError('missing', from, `${from} does not exist.`)
      if (lookAt(target.place) !== undefined) throw new FileError('exists', to, `${to} exists already.`)
      if (found.isDirectory()) renameSync(source.place, target.place)
      else await moveFileOrLink(source, target)
    }),
  )
}

async function moveFileOrLink(source: EntryPlace, target: EntryPlace): Promise<void> {
  if (lookAt(source.folder.at('.'))?.dev === lookAt(target.folder.at('.'))?.dev) {
    linkWithoutReplacing(source.place, target.place)
    return
  }
  const staged = target.folder.at(temporaryName())
  try {
    await copyFile(source.place, staged, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    linkWithoutReplacing(staged, target.place)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
  unlinkSync(source.place)
}

export function changeMode(path: string, mode: number): Promise<void> {
  return withFileErrors(path, () => chmod(pathBytes(path), mode))
}

async function withEntry<T>(path: string, shouldCreate: boolean, use: (entry: EntryPlace) => Promise<T>): Promise<T> {
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
export interface EntryPlace {
  readonly folder: FolderPlace
  readonly name: string
  readonly place: string | Buffer
  /** The real path of the folder plus the name. */
  readonly path: string
}

export async function openEntry(path: string, { shouldCreate = false } = {}): Promise<EntryPlace> {
  const folder = await openFolder(await resolveLinks(dirname(path)), { shouldCreate })
  const name = basename(path)
  return { folder, name, place: folder.at(name), path: join(folder.path, name) }
}
