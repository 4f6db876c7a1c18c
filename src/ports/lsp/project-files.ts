import { type Dirent, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What changed in a project since the last time it was asked for. */
export interface ProjectChanges {
  readonly created: readonly string[]
  readonly changed: readonly string[]
  readonly deleted: readonly string[]
  /** Whether the changes cannot be listed one by one, because packages were installed or there were too many changes. */
  readonly isUnclear: boolean
}

/** Follows the files of a project, so that a server can be told about all changes, whichever program made them. */
export interface ProjectFiles {
  /**
   * Returns the changes since the last call. Every change that was complete before this call is returned by this or an earlier
   * call.
   */
  takeChanges(): Promise<ProjectChanges>
  close(): void
}

export const NO_CHANGES: ProjectChanges = { created: [], changed: [], deleted: [], isUnclear: false }

/** Folders whose files are not sources. */
const SKIPPED_FOLDERS = new Set([
  ...['.git', '.hg', '.svn', '.jj', '.haft', '.cache', '.tox', '.gradle', '.next', '.turbo', '.idea', '.terraform'],
  ...['__pycache__', '.mypy_cache', '.pytest_cache', '.ruff_cache', 'target'],
])
/** Folders that hold installed packages. Only their own entries are followed, not the files of each package. */
const PACKAGE_FOLDERS = new Set(['node_modules', 'site-packages'])
/** Entries that a package manager writes after it has changed something. */
const INSTALL_RECORDS = new Set(['.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity'])

export function isSkippedFolder(name: string): boolean {
  return SKIPPED_FOLDERS.has(name)
}

export function isPackageFolder(name: string): boolean {
  return PACKAGE_FOLDERS.has(name)
}

/** Whether a changed entry of a package folder means that packages changed. Tools keep caches there in hidden folders. */
export function isPackageEntry(name: string): boolean {
  return INSTALL_RECORDS.has(name) || !(name.startsWith('.') || name === '__pycache__')
}

export type EntryKind = 'file' | 'folder'

/** Lists a folder; empty if it is gone. Links to folders count as files, so that no folder is followed twice. */
export async function listEntries(folder: string): Promise<ReadonlyMap<string, EntryKind>> {
  let entries: readonly Dirent[]
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch {
    // Removed since it was found, or not readable.
    return new Map()
  }
  const kinds = entries.flatMap((entry): (readonly [string, EntryKind])[] => {
    if (entry.isDirectory()) return isSkippedFolder(entry.name) ? [] : [[entry.name, 'folder']]
    return entry.isFile() || entry.isSymbolicLink() ? [[entry.name, 'file']] : []
  })
  return new Map(kinds)
}

/** A larger project is not followed: comparing all its files before each request would take seconds. */
const MAX_SCANNED_FILES = 100_000
const FOLDERS_AT_ONCE = 16

/** Compares all files of a project on each request. Used where the system does not announce changes reliably. */
export class ScannedFiles implements ProjectFiles {
  readonly #root: string
  #stamps: ReadonlyMap<string, string>

  private constructor(root: string, stamps: ReadonlyMap<string, string>) {
    this.#root = root
    this.#stamps = stamps
  }

  static async open(root: string): Promise<ScannedFiles> {
    return new ScannedFiles(root, await readStamps(root))
  }

  async takeChanges(): Promise<ProjectChanges> {
    const stampsBefore = this.#stamps
    const stampsAfter = await readStamps(this.#root)
    this.#stamps = stampsAfter
    const created: string[] = []
    const changed: string[] = []
    for (const [path, stamp] of stampsAfter) {
      const oldStamp = stampsBefore.get(path)
      if (oldStamp === undefined) created.push(path)
      else if (oldStamp !== stamp) changed.push(path)
    }
    const deleted = [...stampsBefore.keys()].filter((path) => !stampsAfter.has(path))
    const isUnclear = [...created, ...changed, ...deleted].some((path) => path.split('/').some(isPackageFolder))
    return { created, changed, deleted, isUnclear }
  }

  close(): void {
    // Nothing is held open.
  }
}

async function readStamps(root: string): Promise<ReadonlyMap<string, string>> {
  const stamps = new Map<string, string>()
  const folders = [root]
  while (folders.length > 0 && stamps.size < MAX_SCANNED_FILES) {
    await Promise.all(
      folders.splice(0, FOLDERS_AT_ONCE).map(async (folder) => {
        const isPackages = isPackageFolder(folder.slice(folder.lastIndexOf('/') + 1))
        for (const [name, kind] of await listEntries(folder)) {
          const path = join(folder, name)
          if (isPackages && !isPackageEntry(name)) continue
          if (kind === 'folder' && !isPackages) folders.push(path)
          else stamps.set(path, readStamp(path))
        }
      }),
    )
  }
  return stamps
}

/** Returns a text that changes when the content of a file changes or another file replaces it. Empty if the file is missing. */
export function readStamp(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.mtimeNs} ${stats.ctimeNs} ${stats.size} ${stats.ino}`
}
