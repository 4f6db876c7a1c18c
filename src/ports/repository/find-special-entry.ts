import type { Dirent } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { toRealPath } from './find-foreign-part.js'
import { parsePlainPath } from './plain-path.js'
import type { RecordedFiles } from './recorded-files.js'

/** Whether an entry, or the target of a link, is a pipe, a device or a socket. Opening it has an effect on other programs. */
export function isSpecial(files: RecordedFiles, entry: Dirent, path: string): boolean {
  if (entry.isFile() || entry.isDirectory()) return false
  if (!entry.isSymbolicLink()) return true
  const target = files.stat(path)
  return target !== null && !target.isFile && !target.isFolder
}

/** Folders that git does not enter to find out the commit of a nested repository. */
const UNEXAMINED_FOLDERS = new Set(['objects', 'hooks', 'modules', 'lfs', 'annex', 'logs'])
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
  if (isSpecial(files, dotGit, path)) return describe(path)
  const gitFolder = files.isFolder(path) ? toRealPath(path) : readPath(files, path, 'gitdir: ')
  if (gitFolder === undefined || isPathInside(gitFolder, toRealPath(outerGitFolder))) return null
  const problem = findSpecialBelow(files, gitFolder)
  if (problem !== null) return problem
  const commonFolder = readPath(files, join(gitFolder, 'commondir'), '')
  return commonFolder === undefined ? null : findSpecialBelow(files, commonFolder)
}

function findSpecialBelow(files: RecordedFiles, gitFolder: string): string | null {
  const folders = [gitFolder]
  // Folders are added during the loop.
  for (const folder of folders) {
    const entries = folders.length > MAX_FOLDERS ? null : files.list(folder)
    if (entries === null) return `${folder}, which cannot be examined`
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name !== MONITOR_SOCKET && isSpecial(files, entry, path)) return describe(path)
      if (entry.isDirectory() && !UNEXAMINED_FOLDERS.has(entry.name)) folders.push(path)
    }
  }
  return null
}

function readPath(files: RecordedFiles, file: string, prefix: string): string | undefined {
  const text = files.readTextNow(file, MAX_BYTES)
  const path = text === undefined ? undefined : parsePlainPath(text, prefix)
  return path === undefined ? undefined : toRealPath(resolve(dirname(file), path))
}

function describe(path: string): string {
  return `${path}, which is not an ordinary file`
}
