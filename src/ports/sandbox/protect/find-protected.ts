import type { Dirent } from 'node:fs'
import { basename, join } from 'node:path'
import type { Steps } from '../../../shared/steps.js'
import { lookAt } from '../look-at.js'
import { FolderListings, isUnmountableName, readEntries } from './folder-listings.js'
import { moveAway } from './move-away.js'
import { isProtectedName, listProtectedPathsInside } from './protected-names.js'

/** Limits the time of the search, which runs before each command. An unchanged folder takes about three microseconds. */
const MAX_FOLDERS = 50_000

const SKIPPED_FOLDERS = new Set(['node_modules', '.pnpm-store', '.venv', 'target', '__pycache__'])

/** Creates the cache of listings for `findProtected`. Keep it between searches, because most folders do not change. */
export function createListings(): FolderListings {
  return new FolderListings({
    isRelevant: (entry) =>
      isProtectedName(entry.name) ||
      hasGitName(entry.name) ||
      REPOSITORY_NAMES.has(entry.name) ||
      (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)),
    maxFolders: MAX_FOLDERS,
  })
}

export interface ProtectedFiles {
  readonly paths: readonly string[]
  /** The outermost git folders. */
  readonly gitFolders: readonly string[]
  /** Files named `.git`, which lead to a git folder. */
  readonly gitFiles: readonly string[]
  /** Why some files may not have been found; undefined if all were. */
  readonly problem: string | undefined
}

/**
 * Finds the protected files and folders below a folder, upper levels first. Links are listed but not followed. A folder that
 * cannot be listed is protected as a whole.
 */
export function* findProtected(root: string, listings: FolderListings): Steps<ProtectedFiles> {
  const gitFolders = hasGitName(basename(root)) ? [root] : []
  const foundFiles: FoundFiles = { paths: [], gitFolders, gitFiles: [], problem: undefined }
  const folders = [root]
  for (let index = 0; index < folders.length && index < MAX_FOLDERS; index++) {
    const folder = folders[index] ?? ''
    const entries = listings.list(folder) ?? protectUnlisted(folder, foundFiles)
    if (isRepository((name) => entries.some((entry) => entry.name === name))) foundFiles.gitFolders.push(folder)
    for (const entry of entries) classifyEntry(folder, entry, foundFiles, folders)
    yield
  }
  if (folders.length > MAX_FOLDERS) foundFiles.problem ??= `there are more than ${MAX_FOLDERS} folders to search`
  return foundFiles
}

function protectUnlisted(folder: string, foundFiles: FoundFiles): readonly Dirent[] {
  foundFiles.paths.push(folder)
  return []
}

/** Returns the protected files and folders directly in a folder, and nested ones such as `.config/git` below it. */
export function findProtectedIn(folder: string, listings: FolderListings): readonly string[] {
  const foundFiles: FoundFiles = { paths: [], gitFolders: [], gitFiles: [], problem: undefined }
  for (const entry of listings.list(folder) ?? []) classifyEntry(folder, entry, foundFiles, [])
  return foundFiles.paths
}

interface FoundFiles {
  readonly paths: string[]
  readonly gitFolders: string[]
  readonly gitFiles: string[]
  problem: string | undefined
}

function classifyEntry(folder: string, entry: Dirent, foundFiles: FoundFiles, folders: string[]): void {
  const path = join(folder, entry.name)
  if (isUnmountableName(entry.name)) foundFiles.problem ??= `the name ${path} is not UTF-8`
  else if (isProtectedName(entry.name)) foundFiles.paths.push(path)
  else if (entry.name === '.git' && !entry.isDirectory()) {
    foundFiles.paths.push(path)
    foundFiles.gitFiles.push(path)
  } else if (hasGitName(entry.name) && entry.isDirectory()) foundFiles.gitFolders.push(path)
  else if (entry.isDirectory()) {
    foundFiles.paths.push(...listProtectedPathsInside(entry.name).flatMap((names) => findInside(path, names)))
    folders.push(path)
  }
}

function hasGitName(name: string): boolean {
  return name.endsWith('.git')
}

const HEAD_FILE = 'HEAD'

/** The folders that a git folder must contain, unless it has a `commondir` file. */
const REPOSITORY_FOLDERS = ['objects', 'refs']
const COMMON_FILE = 'commondir'
const REPOSITORY_NAMES = new Set([HEAD_FILE, COMMON_FILE, ...REPOSITORY_FOLDERS])

/** Whether git can take a folder for a git folder, whatever its name. */
function isRepository(has: (name: string) => boolean): boolean {
  return has(HEAD_FILE) && (has(COMMON_FILE) || REPOSITORY_FOLDERS.every(has))
}

/** Finds entries below a folder by the lower-case names of their path. Returns the folder itself if it cannot be listed. */
function findInside(folder: string, [firstName, ...remainingNames]: readonly string[]): readonly string[] {
  const entries = readEntries(folder)
  if (entries === undefined) return [folder]
  return entries
    .filter(({ name }) => name.toLowerCase() === firstName)
    .map(({ name }) => join(folder, name))
    .flatMap((path) => (remainingNames.length === 0 ? [path] : findInside(path, remainingNames)))
}

/**
 * Records which folders are not repositories. If a command turns one of them into a bare repository, the returned function
 * renames its HEAD file and returns notices about it: git would use that repository if `.git` is missing or damaged. The
 * names are not blocked by placeholders, because ordinary files may have them too.
 */
export function watchGitDecoys(folders: readonly string[]): () => readonly string[] {
  const isDecoy = (folder: string) => isRepository((name) => lookAt(join(folder, name)) !== undefined)
  const ordinaryFolders = [...new Set(folders)].filter((folder) => !isDecoy(folder))
  return () =>
    ordinaryFolders.filter(isDecoy).map((folder) => {
      const head = join(folder, HEAD_FILE)
      return `Git would take ${folder} itself for a repository and use its settings: ${head} was renamed to ${moveAway(head)}. Tell the user.`
    })
}
