import { type FSWatcher, rmSync, utimesSync, watch, writeFileSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isDoneWithin } from '../../shared/waiting.js'
import { makePrivateTemporaryFolder } from '../../system/private-folders.js'
import {
  type EntryKind,
  isPackageEntry,
  isPackageFolder,
  isSkippedFolder,
  listEntries,
  NO_CHANGES,
  type ProjectChanges,
  type ProjectFiles,
  ScannedFiles,
} from './project-files.js'

/** The kernel limits the number of watches of a user. */
const MAX_WATCHED_FOLDERS = 6_000
const FOLDERS_AT_ONCE = 16
/** With more announcements at once, the queue of the kernel may have lost some. */
const MAX_ANNOUNCED = 8_000
const MAX_MARK_WAIT_MS = 2_000

/** Follows a project. On Linux, changes are announced by the kernel; elsewhere, files are compared. */
export async function followProject(root: string, platform: string = process.platform): Promise<ProjectFiles> {
  if (platform !== 'linux') return ScannedFiles.open(root)
  return (await WatchedFiles.open(root)) ?? ScannedFiles.open(root)
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  readonly entries: Map<string, EntryKind>
}

interface FoundChanges {
  readonly created: string[]
  readonly changed: string[]
  readonly deleted: string[]
}

/**
 * Follows a project by inotify. The kernel queues announcements in the order of the changes, so the announcement of a mark
 * that is made now arrives after those of all earlier changes.
 */
class WatchedFiles implements ProjectFiles {
  readonly #folders = new Map<string, WatchedFolder>()
  readonly #mark = new QueueMark()
  #announcedPaths = new Set<string>()
  #arePackagesChanged = false
  #hasFailed = false

  /** Returns undefined if the project cannot be watched. */
  static async open(root: string): Promise<WatchedFiles | undefined> {
    const files = new WatchedFiles()
    await files.#addFolders(root)
    if (files.#folders.size > 0 && !files.#hasFailed) return files
    files.close()
    return undefined
  }

  async takeChanges(): Promise<ProjectChanges> {
    const isComplete = await this.#mark.waitForEarlierChanges()
    const paths = this.#announcedPaths
    this.#announcedPaths = new Set()
    const isUnclear = !isComplete || this.#hasFailed || this.#arePackagesChanged || paths.size > MAX_ANNOUNCED
    this.#arePackagesChanged = false
    if (isUnclear) return { ...NO_CHANGES, isUnclear }
    if (paths.size === 0) return NO_CHANGES
    const foundChanges: FoundChanges = { created: [], changed: [], deleted: [] }
    for (const path of paths) await this.#examine(path, foundChanges)
    return { ...foundChanges, isUnclear: this.#hasFailed }
  }

  close(): void {
    for (const { watcher } of this.#folders.values()) watcher.close()
    this.#folders.clear()
    this.#mark.close()
  }

  /** Watches a folder and those below it. Returns the files that it found. */
  async #addFolders(root: string): Promise<readonly string[]> {
    const files: string[] = []
    const folders = [root]
    while (folders.length > 0 && !this.#hasFailed) {
      const lists = await Promise.all(folders.splice(0, FOLDERS_AT_ONCE).map((folder) => this.#addFolder(folder)))
      for (const { files: foundFiles, folders: foundFolders } of lists) {
        files.push(...foundFiles)
        folders.push(...foundFolders)
      }
    }
    return files
  }

  async #addFolder(
    folder: string,
  ): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
    const watcher = this.#watch(folder)
    if (watcher === undefined) return { files: [], folders: [] }
    // Listed after the watch begins, so that no entry is missed.
    const entries = new Map(await listEntries(folder))
    this.#folders.get(folder)?.watcher.close()
    this.#folders.set(folder, { watcher, entries })
    const isPackages = isPackageFolder(basename(folder))
    const select = (kind: EntryKind) =>
      [...entries].filter(([, entryKind]) => entryKind === kind).map(([name]) => join(folder, name))
    return isPackages ? { files: [], folders: [] } : { files: select('file'), folders: select('folder') }
  }

  #watch(folder: string): FSWatcher | undefined {
    if (this.#folders.size >= MAX_WATCHED_FOLDERS) this.#hasFailed = true
    if (this.#hasFailed) return undefined
    try {
      const isPackages = isPackageFolder(basename(folder))
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null) this.#hasFailed = true
        else if (!isPackages) this.#announcedPaths.add(join(folder, name))
        else if (isPackageEntry(name)) this.#arePackagesChanged = true
      })
      watcher.on('error', () => {
        this.#hasFailed = true
      })
      return watcher
    } catch (error) {
      // A folder that is gone or unreadable has no files to follow. Any other failure means that watching does not work here.
      if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) this.#hasFailed = true
      return undefined
    }
  }

  async #examine(path: string, foundChanges: FoundChanges): Promise<void> {
    const folder = this.#folders.get(dirname(path))
    // Events of a removed folder are reported by the event of the folder itself.
    if (folder === undefined) return
    const name = basename(path)
    const knownKind = folder.entries.get(name)
    const kind = await readKind(path)
    if (knownKind === 'folder') {
      foundChanges.deleted.push(...this.#removeFolder(path))
      folder.entries.delete(name)
    }
    if (kind === 'folder') {
      if (!isSkippedFolder(name)) await this.#addFoundFolder(path, folder, foundChanges)
    } else if (kind === 'file') {
      folder.entries.set(name, 'file')
      ;(knownKind === 'file' ? foundChanges.changed : foundChanges.created).push(path)
    } else if (knownKind === 'file') {
      folder.entries.delete(name)
      foundChanges.deleted.push(path)
    }
  }

  async #addFoundFolder(path: string, parent: WatchedFolder, foundChanges: FoundChanges): Promise<void> {
    const name = basename(path)
    parent.entries.set(name, 'folder')
    if (isPackageFolder(name)) this.#arePackagesChanged = true
    const files = await this.#addFolders(path)
    const deletedFiles = new Set(foundChanges.deleted)
    for (const file of files) (deletedFiles.has(file) ? foundChanges.changed : foundChanges.created).push(file)
    // If the folder was replaced, files that exist again were counted as deleted before.
    const presentFiles = new Set(files)
    foundChanges.deleted.splice(
      0,
      foundChanges.deleted.length,
      ...foundChanges.deleted.filter((file) => !presentFiles.has(file)),
    )
  }

  /** Stops watching a folder and those below it. Returns the files that were known. */
  #removeFolder(path: string): readonly string[] {
    const watched = this.#folders.get(path)
    if (watched === undefined) return []
    watched.watcher.close()
    this.#folders.delete(path)
    return [...watched.entries].flatMap(([name, kind]) =>
      kind === 'folder' ? this.#removeFolder(join(path, name)) : [join(path, name)],
    )
  }
}

async function readKind(path: string): Promise<EntryKind | undefined> {
  try {
    const stats = await lstat(path)
    if (stats.isDirectory()) return 'folder'
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : undefined
  } catch {
    // The entry no longer exists.
    return undefined
  }
}

/** A file of Haft whose changes are announced after all earlier changes, because Node uses one queue for all watchers. */
class QueueMark {
  readonly #folder = makePrivateTemporaryFolder(tmpdir(), 'lsp')
  readonly #file = join(this.#folder, 'mark')
  readonly #watcher: FSWatcher
  #onAnnounced: (() => void) | undefined

  constructor() {
    writeFileSync(this.#file, '')
    this.#watcher = watch(this.#folder, { persistent: false }, () => this.#onAnnounced?.())
    // After an error nothing is announced, so `waitForEarlierChanges` resolves to false.
    this.#watcher.on('error', () => undefined)
  }

  /**
   * Resolves to true when all earlier changes have been announced, and to false if that cannot be determined. Do not call it
   * again before it has resolved.
   */
  async waitForEarlierChanges(): Promise<boolean> {
    const announced = new Promise<void>((resolve) => {
      this.#onAnnounced = resolve
    })
    try {
      utimesSync(this.#file, new Date(), new Date())
    } catch {
      // Another program has removed the folder.
      return false
    }
    return isDoneWithin(MAX_MARK_WAIT_MS, announced)
  }

  close(): void {
    this.#watcher.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
