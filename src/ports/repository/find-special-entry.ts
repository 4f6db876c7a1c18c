import type { Dirent } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { parsePlainPath } from './plain-path.js'
import { toRealPath } from './real-path.js'
import type { RecordedFiles } from './recorded-files.js'

/** Whether an entry, or the target of a link, is a pipe, a device or a socket. Opening it has an effect on other programs. */
export function isSpecial(files: RecordedFiles, entry: Dirent, path: string): boolean {
  if (entry.isFile() || entry.isDirectory()) return false
  if (!entry.isSymbolicLink()) return true
  const target = files.stat(path)
  return target !== null && !target.isFile && !target.isFolder
}

/** Folders of the git folder that git does not enter to find out the commit of a nested repository. */
const UNEXAMINED_FOLDERS: readonly string[] = ['objects', 'hooks', 'modules', 'lfs', 'annex', 'logs']
const MONITOR_SOCKET = 'fsmonitor--daemon.ipc'
const MAX_FOLDERS = 500
const MAX_BYTES = 4_096

/**
 * Finds a pipe or a device in the git folder of a repository inside another working tree: git reads its `HEAD` and references.
 * The git folder of the outer repository is examined elsewhere.
 */
export function findSpecialGitEntry(
  files: RecordedFiles,
  dotGit: Dirent,
  folder: string,
  outerGitFolder: string,
): string | null {
  const path = join(folder, dotGit.name)
  if (isSpecial(files, dotGit, path)) return describeEntry(path)
  const gitFolder = files.isFolder(path) ? toRealPath(path) : readPath(files, path, 'gitdir: ')
  if (gitFolder === undefined || isPathInside(gitFolder, toRealPath(outerGitFolder))) return null
  const commonFolder = readPath(files, join(gitFolder, 'commondir'), '') ?? gitFolder
  const gitFolders = [...new Set([gitFolder, commonFolder])]
  for (const examinedFolder of gitFolders) {
    const problem = findSpecialBelow(files, examinedFolder)
    if (problem !== null) return problem
  }
  return findUnusualReference(files, gitFolders)
}

/** `HEAD` and the five further references that git follows at most. */
const MAX_REFERENCES = 6

/**
 * Follows the references that start at `HEAD`. Each may name any file of the git folder, also in a folder that is not
 * examined, and git would open that file.
 */
function findUnusualReference(files: RecordedFiles, gitFolders: readonly string[]): string | null {
  let names: readonly string[] = ['HEAD']
  for (let count = 0; count < MAX_REFERENCES; count++) {
    const targets: string[] = []
    for (const path of names.flatMap((name) => gitFolders.map((gitFolder) => join(gitFolder, name)))) {
      const text = files.readTextNow(path, MAX_BYTES)
      const [, target] = /^ref:\s*(.*?)\s*$/s.exec(text ?? '') ?? []
      const isUnusual =
        target === undefined ? text === undefined && files.stat(path)?.isFile === true : !isReference(target)
      if (isUnusual) return `${path}, which is not an ordinary reference`
      if (target !== undefined) targets.push(target)
    }
    names = targets
  }
  return null
}

function isReference(name: string): boolean {
  return name.startsWith('refs/') && !name.split('/').includes('..')
}

/**
 * The maximum number of folders that are examined among hooks, submodules and the files of extensions. In larger ones, a pipe
 * is not found.
 */
const MAX_OTHER_FOLDERS = 1_000

/**
 * Finds a pipe or a device in folders of the git folder whose files git does not open by itself. It opens any of them if a
 * reference or an argument such as `hooks/x` names it.
 */
export function findSpecialFile(files: RecordedFiles, folders: readonly string[]): string | null {
  const seenFolders = new Set(folders.filter((folder) => files.isFolder(folder)).map(toRealPath))
  // Folders are added during the loop.
  for (const folder of seenFolders) {
    for (const entry of files.list(folder) ?? []) {
      const path = join(folder, entry.name)
      if (entry.name !== MONITOR_SOCKET && isSpecial(files, entry, path)) return describeEntry(path)
      const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && files.isFolder(path))
      if (isFolder && seenFolders.size < MAX_OTHER_FOLDERS) seenFolders.add(toRealPath(path))
    }
  }
  return null
}

function findSpecialBelow(files: RecordedFiles, gitFolder: string): string | null {
  const folders = [gitFolder]
  const unexaminedPaths = new Set(UNEXAMINED_FOLDERS.map((name) => join(gitFolder, name)))
  // Folders are added during the loop.
  for (const folder of folders) {
    const entries = folders.length > MAX_FOLDERS ? null : files.list(folder)
    if (entries === null) return `${folder}, which cannot be examined`
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name !== MONITOR_SOCKET && isSpecial(files, entry, path)) return describeEntry(path)
      if (entry.isDirectory() && !unexaminedPaths.has(path)) folders.push(path)
    }
  }
  return null
}

function readPath(files: RecordedFiles, file: string, prefix: string): string | undefined {
  const text = files.readTextNow(file, MAX_BYTES)
  const path = text === undefined ? undefined : parsePlainPath(text, prefix)
  return path === undefined ? undefined : toRealPath(resolve(dirname(file), path))
}

function describeEntry(path: string): string {
  return `${path}, which is not an ordinary file`
}
