import { mkdir, open, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { toPathBytes, toPathText } from '../../../shared/path-bytes.js'
import { CAN_HOLD_FOLDERS, FOLDER_FLAGS, findEntryBase } from '../../../system/opened-path.js'
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

/**
 * Creating a folder is tried again, because another program may remove a parent meanwhile. It never succeeds in /proc, so the
 * tries are limited.
 */
const MAX_TRIES = 3

/** Opens a folder by its real path. Creates it first if `shouldCreate` is set. Throws if the path contains a link. */
export async function openFolder(
  folder: string,
  { shouldCreate }: { readonly shouldCreate: boolean },
  remainingTries = MAX_TRIES,
): Promise<OpenFolder> {
  try {
    return await holdFolder(folder, toPathBytes(folder))
  } catch (error) {
    if (!shouldCreate || !hasErrorCode(error, 'ENOENT') || dirname(folder) === folder || remainingTries <= 1)
      throw error
  }
  const createdFolder = await createFolder(folder)
  return createdFolder ?? openFolder(folder, { shouldCreate }, remainingTries - 1)
}

/** Creates a folder in its parent, which is held open. Returns undefined if another program removes the parent meanwhile. */
async function createFolder(folder: string): Promise<OpenFolder | undefined> {
  const parent = await openFolder(dirname(folder), { shouldCreate: true })
  let createdFolders = parent.createdFolders
  try {
    const entryPath = parent.at(basename(folder))
    if (await makeEntry(entryPath)) createdFolders = [...createdFolders, folder]
    return { ...(await holdFolder(folder, entryPath)), createdFolders, undo: () => removeFolders(createdFolders) }
  } catch (error) {
    await removeFolders(createdFolders)
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  } finally {
    await parent.close()
  }
}

/** Creates a folder. Returns false if it already exists. */
async function makeEntry(entryPath: string | Buffer): Promise<boolean> {
  try {
    await mkdir(entryPath)
    return true
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false
    throw error
  }
}

/** Opens an existing folder at `openPath` and checks that it is the folder of that real path. */
async function holdFolder(folder: string, openPath: string | Buffer): Promise<OpenFolder> {
  const handle = CAN_HOLD_FOLDERS ? await open(openPath, FOLDER_FLAGS) : undefined
  try {
    const base = findEntryBase(folder, handle?.fd)
    if (base === undefined) throw createMovedError(folder)
    return {
      path: folder,
      at: (name) => toPathBytes(`${base}/${name}`),
      createdFolders: [],
      undo: async () => {},
      close: async () => handle?.close(),
    }
  } catch (error) {
    await handle?.close()
    throw error
  }
}

/** Removes folders if they are empty. Expects the outermost first. Errors are ignored. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of [...folders].reverse()) {
    const parent = await openFolder(dirname(folder), { shouldCreate: false }).catch(() => undefined)
    if (parent === undefined) continue
    await rmdir(parent.at(basename(folder))).catch(() => {})
    await parent.close()
  }
}

/** Removes temporary files that killed processes left in folders that are written to, once for each folder. */
export class TemporaryFileCleaner {
  readonly #cleanedFolders = new Set<string>()
  #isAllowed = true

  /** Allows or forbids cleaning. The caller forbids it while a temporary file may be needed to roll back an interrupted change. */
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
