import { realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { WatchedFiles } from './watched-files.js'

export interface FoundRepository {
  /** Holds HEAD and the index. */
  readonly gitFolder: string
  /** Holds configuration, hooks and objects; the same unless this is a linked working tree. */
  readonly commonFolder: string
  /** Null for a bare repository. */
  readonly root: string | null
  /** The folder that was asked about, from the root: `` or `src/`. */
  readonly prefix: string
}

/** Where git would find its repository; a text says why that cannot be told. */
export async function findRepository(files: WatchedFiles, folder: string): Promise<FoundRepository | string | null> {
  const { start, isThere } = await nearestRealFolder(resolve(folder))
  if (!isThere) await files.lstat(resolve(folder))
  for (let at = start; ; at = dirname(at)) {
    const found = await repositoryAt(files, at)
    if (found !== null) {
      // What is not there yet may become a repository of its own.
      if (!isThere) return `${folder} is not there`
      return typeof found === 'string' ? found : { ...found, prefix: prefixOf(found.root, start) }
    }
    if (dirname(at) === at) return null
  }
}

/** The repository whose working tree begins just here, or that is this folder. */
export async function repositoryAt(files: WatchedFiles, folder: string): Promise<FoundRepository | string | null> {
  const dotGit = join(folder, '.git')
  const stat = await files.stat(dotGit)
  if (stat?.isFolder === true) {
    const found = await gitFolderAt(files, dotGit, folder)
    if (found !== null) return found
  } else if (stat !== null || (await files.lstat(dotGit)) !== null) {
    const link = await files.readText(dotGit)
    const target = link.is === 'found' ? /^gitdir: ([^\n]+?)\r?\n*$/.exec(link.content)?.[1] : undefined
    if (target === undefined) return `${dotGit} cannot be read`
    return (await gitFolderAt(files, resolve(folder, target), folder)) ?? `${dotGit} leads nowhere`
  }
  return gitFolderAt(files, folder, null)
}

/** A folder counts as a repository by what lies in it, whatever its name: one can be hidden in a working tree. */
async function gitFolderAt(
  files: WatchedFiles,
  gitFolder: string,
  root: string | null,
): Promise<FoundRepository | string | null> {
  if ((await files.lstat(join(gitFolder, 'HEAD'))) === null) return null
  const common = await files.readText(join(gitFolder, 'commondir'))
  if (common.is === 'unreadable') return `${gitFolder} cannot be read`
  const commonFolder = common.is === 'found' ? resolve(gitFolder, common.content.trim()) : gitFolder
  const hasParts =
    (await files.isFolder(join(commonFolder, 'objects'))) && (await files.isFolder(join(commonFolder, 'refs')))
  if (!hasParts) return null
  const head = await files.readText(join(gitFolder, 'HEAD'))
  const isHead = head.is === 'found' && /^(ref:\s*refs\/|[0-9a-f]{40})/.test(head.content)
  if (!isHead) return `${gitFolder} has an odd HEAD`
  return { gitFolder, commonFolder, root, prefix: '' }
}

async function nearestRealFolder(folder: string): Promise<{ readonly start: string; readonly isThere: boolean }> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      return { start: await realpath(at), isThere: at === folder }
    } catch {
      // Not there: what lies above it decides.
      if (dirname(at) === at) return { start: at, isThere: false }
    }
  }
}

function prefixOf(root: string | null, folder: string): string {
  const below = root === null ? '' : relative(root, folder)
  return below === '' ? '' : `${below.replaceAll('\\', '/')}/`
}
