import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { parsePlainPath } from './plain-path.js'
import type { RecordedFiles } from './recorded-files.js'

export interface FoundRepository {
  /** The folder that contains HEAD and the index. */
  readonly gitFolder: string
  /** The folder that contains configuration, hooks and objects. It differs from `gitFolder` in a linked worktree. */
  readonly commonFolder: string
  /** Null for a bare repository. */
  readonly root: string | null
  /** The requested folder relative to the root, such as `src/`; empty for the root itself. */
  readonly prefix: string
}

/** Finds the repository that git would use. A string explains why it cannot be determined. */
export async function findRepository(files: RecordedFiles, folder: string): Promise<FoundRepository | string | null> {
  const { start, exists } = await findNearestRealFolder(resolve(folder))
  if (!exists) files.lstat(resolve(folder))
  for (let at = start; ; at = dirname(at)) {
    const foundRepository = await openRepositoryAt(files, at)
    if (foundRepository !== null) {
      // A missing folder may have become a repository by the time the command runs.
      if (!exists) return `${folder}, which does not exist`
      return typeof foundRepository === 'string'
        ? foundRepository
        : { ...foundRepository, prefix: toPrefix(foundRepository.root, start) }
    }
    if (dirname(at) === at) return null
  }
}

/** Finds a repository whose working tree starts at this folder, or a bare repository that is this folder. */
export async function openRepositoryAt(files: RecordedFiles, folder: string): Promise<FoundRepository | string | null> {
  const dotGit = join(folder, '.git')
  const stat = files.stat(dotGit)
  if (stat?.isFolder === true) {
    const foundFolder = await findGitFolder(files, dotGit, folder)
    if (foundFolder !== null) return foundFolder
  } else if (stat !== null || files.lstat(dotGit) !== null) {
    const link = await files.readText(dotGit)
    const target = link.kind === 'found' ? parsePlainPath(link.content, 'gitdir: ') : undefined
    if (target === undefined) return `${dotGit}, which cannot be read`
    return (
      (await findGitFolder(files, resolve(folder, target), folder)) ?? `${dotGit}, which does not point to a repository`
    )
  }
  return findGitFolder(files, folder, null)
}

/** Finds a git folder by its contents, as git does, whatever its name: a bare repository can be hidden in a working tree. */
async function findGitFolder(
  files: RecordedFiles,
  gitFolder: string,
  root: string | null,
): Promise<FoundRepository | string | null> {
  if (files.lstat(join(gitFolder, 'HEAD')) === null) return null
  const commonFile = await files.readText(join(gitFolder, 'commondir'))
  if (commonFile.kind === 'unreadable') return `${gitFolder}, which cannot be read`
  const commonPath = commonFile.kind === 'found' ? parsePlainPath(commonFile.content) : '.'
  if (commonPath === undefined) return `${join(gitFolder, 'commondir')}, which cannot be read`
  const commonFolder = resolve(gitFolder, commonPath)
  const hasGitFolders = files.isFolder(join(commonFolder, 'objects')) && files.isFolder(join(commonFolder, 'refs'))
  if (!hasGitFolders) return null
  const head = await files.readText(join(gitFolder, 'HEAD'))
  const isValidHead = head.kind === 'found' && /^(ref:\s*refs\/|[0-9a-f]{40})/.test(head.content)
  if (!isValidHead) return `${gitFolder}, whose HEAD is malformed`
  return { gitFolder, commonFolder, root, prefix: '' }
}

async function findNearestRealFolder(folder: string): Promise<{ readonly start: string; readonly exists: boolean }> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return { start: await realpath(at), exists: at === folder }
    } catch {
      // The folder is missing or not accessible, so its parent is tried.
      if (dirname(at) === at) return { start: at, exists: false }
    }
  }
}

function toPrefix(root: string | null, folder: string): string {
  const relativePath = root === null ? '' : relative(root, folder)
  return relativePath === '' ? '' : `${relativePath.replaceAll('\\', '/')}/`
}
