import type { Dirent } from 'node:fs'
import { dirname, join } from 'node:path'
import { forEachInSlices } from '../../shared/for-each-in-slices.js'
import type { FoundRepository } from './find-repository.js'
import { findSpecialGitEntry, isSpecial } from './find-special-entry.js'
import { listIgnoredFolders } from './ignored-folders.js'
import type { IndexPaths } from './read-index.js'
import { leadsInto, toRealPath } from './real-path.js'
import type { RecordedFiles } from './recorded-files.js'

export interface WorkingTree {
  /** Folders of tracked files that have become symbolic links. */
  readonly linkedFolders: readonly string[]
  /** Symbolic links in the root and in folders of tracked files that lead to folders outside the working tree. */
  readonly foreignLinks: readonly string[]
  /** Whether there are too many folders to examine them all. */
  readonly hasUnexaminedFolders: boolean
}

const MAX_TRACKED_FOLDERS = 4_000
const MAX_UNTRACKED_FOLDERS = 1_000
/** In more ignored folders than this, a pipe is not found. Those near the root are examined first. */
const MAX_IGNORED_FOLDERS = 500
const EMPTY_TREE: WorkingTree = { linkedFolders: [], foreignLinks: [], hasUnexaminedFolders: false }

/** Files that git opens in every folder of the working tree, although no command names them. */
const GIT_FILES: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.mailmap', '.gitmodules'])
/** Files that git opens in an ignored folder if an older commit, a patch or an argument names a file there. */
const FILES_IN_IGNORED_FOLDERS: ReadonlySet<string> = new Set(['.gitattributes'])

interface VisitedFolder {
  readonly path: string
  readonly isTracked: boolean
  /** The names of folders that git does not enter. */
  readonly ignoredNames: ReadonlySet<string>
}

/**
 * Looks for links, and for pipes and devices in the place of files that git opens. Returns a problem if there is such a file
 * or a folder cannot be examined. Git also enters untracked folders, unless they are ignored.
 */
export async function examineWorkingTree(
  files: RecordedFiles,
  { root, commonFolder }: FoundRepository,
  index: IndexPaths,
): Promise<WorkingTree | string> {
  if (root === null) return EMPTY_TREE
  const trackedPaths = listTrackedFolders(root, index)
  const walk = new TreeWalk(files, { root, commonFolder }, new Set(trackedPaths))
  for (const path of index.gitlinks) walk.seenPaths.add(join(root, path))
  await forEachInSlices(walk.folders, (folder) => walk.examine(folder))
  // Tracked folders that were not visited are behind links.
  const unseenPaths = trackedPaths?.filter((path) => !walk.seenPaths.has(path)) ?? []
  await forEachInSlices(unseenPaths, (path) => walk.examine({ path, isTracked: true, ignoredNames: new Set() }))
  await forEachInSlices(walk.ignoredFolders, (path) => walk.examineIgnored(path))
  if (walk.problem !== null) return walk.problem
  const realRoot = toRealPath(root)
  return {
    linkedFolders: trackedPaths?.filter((path) => files.lstat(path)?.isLink === true) ?? [],
    foreignLinks: walk.links.filter((link) => files.isFolder(link) && !leadsInto(link, realRoot)),
    hasUnexaminedFolders: trackedPaths === undefined || walk.untrackedCount > MAX_UNTRACKED_FOLDERS,
  }
}

class TreeWalk {
  readonly #files: RecordedFiles
  readonly #root: string
  readonly #gitFolder: string
  readonly #trackedPaths: ReadonlySet<string>
  /** The folders to examine. Others are added while these are examined. */
  readonly folders: VisitedFolder[]
  readonly seenPaths = new Set<string>()
  /** Folders that git ignores. Folders in them are added while these are examined. */
  readonly ignoredFolders: string[] = []
  /** The links in the root and in folders of tracked files. */
  readonly links: string[] = []
  untrackedCount = 0
  problem: string | null = null

  constructor(
    files: RecordedFiles,
    { root, commonFolder }: { readonly root: string; readonly commonFolder: string },
    trackedPaths: ReadonlySet<string>,
  ) {
    this.#files = files
    this.#root = root
    this.#gitFolder = commonFolder
    this.#trackedPaths = trackedPaths
    this.folders = [{ path: root, isTracked: true, ignoredNames: new Set() }]
  }

  examine({ path, isTracked, ignoredNames }: VisitedFolder): void {
    const entries = this.#files.list(path)
    if (entries === null) {
      // Git cannot enter an untracked folder that cannot be listed either.
      if (isTracked) this.problem ??= `${path}, which cannot be examined`
      return
    }
    this.problem ??= this.#findSpecialFile(path, entries)
    if (this.problem !== null) return
    if (isTracked)
      this.links.push(...entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(path, name)))
    const ignoredFolders = listIgnoredFolders(this.#files, path, entries, ignoredNames)
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git')
        this.#add(join(path, entry.name), ignoredFolders.inFolder.has(entry.name), ignoredFolders.inTree)
    }
  }

  examineIgnored(folder: string): void {
    const entries = this.#files.list(folder) ?? []
    this.problem ??= this.#findSpecial(folder, entries, FILES_IN_IGNORED_FOLDERS)
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== '.git') this.#addIgnored(join(folder, entry.name))
  }

  #addIgnored(path: string): void {
    if (this.ignoredFolders.length < MAX_IGNORED_FOLDERS && !this.seenPaths.has(path)) this.ignoredFolders.push(path)
  }

  #findSpecial(folder: string, entries: readonly Dirent[], names: ReadonlySet<string>): string | null {
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (names.has(entry.name) && isSpecial(this.#files, entry, path)) return `${path}, which is not an ordinary file`
    }
    return null
  }

  #findSpecialFile(folder: string, entries: readonly Dirent[]): string | null {
    const problem = this.#findSpecial(folder, entries, GIT_FILES)
    if (problem !== null) return problem
    const dotGit = folder === this.#root ? undefined : entries.find(({ name }) => name === '.git')
    return dotGit === undefined ? null : findSpecialGitEntry(this.#files, dotGit, folder, this.#gitFolder)
  }

  #add(path: string, isIgnored: boolean, ignoredNames: ReadonlySet<string>): void {
    const isTracked = this.#trackedPaths.has(path)
    if (isIgnored && !isTracked) this.#addIgnored(path)
    if (this.seenPaths.has(path) || (isIgnored && !isTracked)) return
    if (!isTracked) this.untrackedCount += 1
    if (!isTracked && this.untrackedCount > MAX_UNTRACKED_FOLDERS) return
    this.seenPaths.add(path)
    this.folders.push({ path, isTracked, ignoredNames })
  }
}

/**
 * Returns the folders of tracked files and their parents, without the root; undefined if there are too many. Git reads tracked
 * files and their attributes through symbolic links at these paths.
 */
function listTrackedFolders(root: string, { folders }: IndexPaths): readonly string[] | undefined {
  const folderPaths = new Set<string>()
  for (const folder of folders) {
    for (let path = folder; path !== '.' && !folderPaths.has(path); path = dirname(path)) folderPaths.add(path)
    if (folderPaths.size > MAX_TRACKED_FOLDERS) return undefined
  }
  return [...folderPaths].map((path) => join(root, path))
}
