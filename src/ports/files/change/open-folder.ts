import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readlink, realpath, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { toPathBytes, toPathText } from '../../../shared/path-bytes.js'
import { isAbandonedTemporary } from '../../../system/write-file-atomically.js'
import { createMovedError } from '../../paths/opened-path.js'
import { hasErrorCode } from '../file-failure.js'

/** A folder that is held open, so that it stays the same folder even if its path later leads elsewhere. */
export interface OpenFolder {
  readonly path: string
  /** Returns the path of an entry: through the open descriptor where the system supports it, otherwise an ordinary path. */
  at(name: string): string | Buffer
  /** The folders that `openFolder` created, outermost first. */
  readonly createdFolders: readonly string[]
  /** Removes the created folders if they are empty. */
  undo(): Promise<void>
  close(): Promise<void>
}

/** Opens a folder by its real path. Creates it first if `shouldCreate` is set. Throws if the path contains a link. */
export async function openFolder(
  folder: string,
  { shouldCreate }: { readonly shouldCreate: boolean },
): Promise<OpenFolder> {
  const createdFolders = shouldCreate ? await makeFolders(folder) : []
  const undo = () => removeFolders(createdFolders)
  try {
    const handle = await openHandle(folder)
    const at = await createPathBuilder(handle, folder)
    return { path: folder, at, createdFolders, undo, close: async () => handle?.close() }
  } catch (error) {
    await undo()
    throw error
  }
}

async function openHandle(folder: string): Promise<FileHandle | undefined> {
  if (process.platform === 'win32') return undefined
  return open(toPathBytes(folder), constants.O_RDONLY | constants.O_DIRECTORY)
}

async function createPathBuilder(handle: FileHandle | undefined, folder: string): Promise<OpenFolder['at']> {
  try {
    const descriptor = handle === undefined ? undefined : `/proc/self/fd/${handle.fd}`
    const descriptorTarget =
      descriptor === undefined ? undefined : await readlink(descriptor, 'buffer').catch(() => undefined)
    const realFolder = descriptorTarget ?? (await realpath(toPathBytes(folder), 'buffer'))
    if (toPathText(realFolder) !== folder) throw createMovedError(folder)
    const baseFolder = descriptorTarget === undefined || descriptor === undefined ? folder : descriptor
    return (name) => toPathBytes(join(baseFolder, name))
  } catch (error) {
    await handle?.close()
    throw error
  }
}

/**
 * Creating a folder is tried again, because another program may remove a parent meanwhile. It never succeeds in /proc, so the
 * tries are limited.
 */
const MAX_TRIES = 3

/** Creates missing folders and returns them, outermost first. */
async function makeFolders(folder: string, remainingTries = MAX_TRIES): Promise<readonly string[]> {
  try {
    await mkdir(toPathBytes(folder))
    return [folder]
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return []
    const isOutermost = dirname(folder) === folder || basename(folder) === ''
    if (!hasErrorCode(error, 'ENOENT') || isOutermost || remainingTries <= 1) throw error
  }
  const outerFolders = await makeFolders(dirname(folder))
  try {
    return [...outerFolders, ...(await makeFolders(folder, remainingTries - 1))]
  } catch (error) {
    await removeFolders(outerFolders)
    throw error
  }
}

async function removeFolders(createdFolders: readonly string[]): Promise<void> {
  for (const folder of [...createdFolders].reverse()) await rmdir(toPathBytes(folder)).catch(() => {})
}

/** Removes temporary files that killed processes left in folders that are written to, once for each folder. */
export class TemporaryFileCleaner {
  readonly #cleanedFolders = new Set<string>()
  #isAllowed = true

  /** Allows or forbids cleaning. It is forbidden while such a file may still be needed to roll back an interrupted change. */
  allow(isAllowed: boolean): void {
    this.#isAllowed = isAllowed
  }

  async clean(folder: OpenFolder): Promise<void> {
    if (!this.#isAllowed || this.#cleanedFolders.has(folder.path)) return
    this.#cleanedFolders.add(folder.path)
    const names = await readdir(folder.at('.'), 'buffer').catch(() => [])
    for (const name of names.map(toPathText).filter(isAbandonedTemporary)) {
      // A leftover that cannot be removed is harmless.
      await rm(folder.at(name), { force: true }).catch(() => {})
    }
  }
}
