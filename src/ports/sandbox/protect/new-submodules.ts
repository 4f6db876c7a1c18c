import { dirname, join } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { runSteps } from '../../../shared/steps.js'
import { readRegularFile, readRegularText } from '../../../system/read-regular-file.js'
import { readIndex } from '../../repository/read-index.js'
import { lookAt } from '../look-at.js'
import { findProtected } from './find-protected.js'
import { type FolderListings, readEntries } from './folder-listings.js'
import { followDotGit, listGitFolders } from './git-control.js'
import { moveAway } from './move-away.js'
import { isOrdinaryConfig, MAX_CONFIG_BYTES } from './ordinary-settings.js'
import { CONTROL_FOLDERS } from './protected-names.js'

const MAX_DEPTH = 10
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** Watches which repositories in the writable folders are linked. Use one object for all commands, because it caches the links of each index. */
export class Submodules {
  readonly #links = new Map<string, { readonly identity: string; readonly paths: readonly string[] | undefined }>()

  constructor(private readonly listings: FolderListings) {}

  /**
   * Records which repositories are protected and linked. Git enters every repository that the index of another one links to. A
   * command can create a repository, and a later command, or an index outside the writable folders, can link to it. So the
   * returned function disables the configuration and hooks of every linked repository that was not both protected and linked
   * before the command, and returns notices about it.
   */
  watch(watchedFolders: WatchedFolders): () => readonly string[] {
    const { writableFolders: roots, temporaryFolder, gitFolders, gitFiles } = watchedFolders
    const protectedPaths = new Set([...gitFolders.flatMap(listGitFolders), ...gitFiles])
    const workTrees = listWorkTrees(watchedFolders)
    const linkedPaths = this.#findLinked(workTrees, roots).flatMap((linkedRepository) =>
      'unreadable' in linkedRepository
        ? []
        : [linkedRepository.dotGit, ...(linkedRepository.gitFolder === undefined ? [] : [linkedRepository.gitFolder])],
    )
    const knownIdentities = new Map(
      linkedPaths.filter((path) => protectedPaths.has(path)).map((path) => [path, readIdentity(path)]),
    )
    const isWritable = (path: string) => [...roots, temporaryFolder].some((root) => isPathInside(path, root))
    const isNew = (path: string) => isWritable(path) && knownIdentities.get(path) !== readIdentity(path)
    return () =>
      this.#findLinked(workTrees, roots).flatMap((linkedRepository) => {
        if ('unreadable' in linkedRepository) return [disableIndex(linkedRepository.unreadable, isWritable)]
        const { dotGit, gitFolder, isPlain, isTooDeep } = linkedRepository
        if ((!isPlain || isTooDeep) && isNew(dotGit)) return [disableDotGit(dotGit)]
        return isTooDeep || gitFolder === undefined || !isNew(gitFolder) ? [] : disableSubmodule(gitFolder)
      })
  }

  /** Finds the repositories that the indexes of these working trees link to, directly or through others. */
  #findLinked(
    workTrees: readonly WorkTree[],
    roots: readonly string[],
  ): readonly (LinkedRepository | UnreadableIndex)[] {
    const foundRepositories: (LinkedRepository | UnreadableIndex)[] = []
    const queue = new Map(workTrees.map((tree) => [createKey(tree), { ...tree, depth: 0 }]))
    for (const { root, gitFolder, depth } of queue.values()) {
      const folders = this.#readLinks(gitFolder)?.map((path) => join(root, path)) ?? this.#listRepositories(roots)
      if (folders === undefined) foundRepositories.push({ unreadable: gitFolder })
      const isTooDeep = depth >= MAX_DEPTH
      const linkedRepositories = (folders ?? []).flatMap((folder) => findLinkedAt(folder, isTooDeep))
      foundRepositories.push(...linkedRepositories)
      const innerTrees = isTooDeep ? [] : linkedRepositories.flatMap(toWorkTree)
      for (const tree of innerTrees.filter((innerTree) => !queue.has(createKey(innerTree))))
        queue.set(createKey(tree), { ...tree, depth: depth + 1 })
    }
    return foundRepositories
  }

  /** Returns the paths that an index links to; undefined if it cannot be read or its format is not supported. */
  #readLinks(gitFolder: string): readonly string[] | undefined {
    const index = join(gitFolder, 'index')
    const identity = readIdentity(index)
    if (identity === '') return []
    const cached = this.#links.get(index)
    if (cached?.identity === identity) return cached.paths
    const readResult = readRegularFile(index, { maxBytes: MAX_INDEX_BYTES })
    const paths = readResult.kind === 'found' ? readIndex(readResult.content)?.gitlinks : undefined
    this.#links.set(index, { identity, paths })
    return paths
  }

  /** Returns the folders of all repositories; undefined if some cannot be found. */
  #listRepositories(roots: readonly string[]): readonly string[] | undefined {
    const foundFiles = roots.map((root) => runSteps(findProtected(root, this.listings)))
    if (foundFiles.some(({ problem }) => problem !== undefined)) return undefined
    return foundFiles.flatMap(({ gitFolders, gitFiles }) => [...gitFolders, ...gitFiles]).map(dirname)
  }
}

/** A working tree with the git folder that has its index. */
interface WorkTree {
  readonly root: string
  readonly gitFolder: string
}

function createKey({ root, gitFolder }: WorkTree): string {
  return `${root}\0${gitFolder}`
}

interface LinkedRepository {
  readonly dotGit: string
  /** Undefined if `.git` does not lead to a git folder. */
  readonly gitFolder: string | undefined
  /** Whether `.git` is a folder or a file as git itself writes them. */
  readonly isPlain: boolean
  readonly isTooDeep: boolean
}

function findLinkedAt(folder: string, isTooDeep: boolean): readonly LinkedRepository[] {
  const target = followDotGit(folder)
  if (target === undefined) return []
  return [{ dotGit: join(folder, '.git'), gitFolder: target.folder, isPlain: target.isPlain, isTooDeep }]
}

function toWorkTree({ dotGit, gitFolder }: LinkedRepository): readonly WorkTree[] {
  return gitFolder === undefined ? [] : [{ root: dirname(dotGit), gitFolder }]
}

interface UnreadableIndex {
  /** The git folder whose index could not be read, so that its submodules are unknown. */
  readonly unreadable: string
}

/**
 * Lists the working trees in the writable folders and those around them, which can belong to linked worktrees and submodules.
 */
function listWorkTrees({ writableFolders, gitFolders, gitFiles }: WatchedFolders): readonly WorkTree[] {
  const folders = [...writableFolders.flatMap(listFoldersUpwards), ...gitFiles.map(dirname)]
  return [
    ...gitFolders.map((gitFolder) => ({ root: dirname(gitFolder), gitFolder })),
    ...[...new Set(folders)].flatMap((root) => {
      const gitFolder = followDotGit(root)?.folder
      return gitFolder === undefined ? [] : [{ root, gitFolder }]
    }),
  ]
}

function listFoldersUpwards(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...listFoldersUpwards(parent)]
}

interface WatchedFolders {
  readonly writableFolders: readonly string[]
  /** The temporary folder. It is also writable, but it is not searched. */
  readonly temporaryFolder: string
  /** The outermost git folders in the writable folders. */
  readonly gitFolders: readonly string[]
  /** Files and links that are named `.git`. */
  readonly gitFiles: readonly string[]
}

function readIdentity(path: string): string {
  const foundEntry = lookAt(path)
  if (foundEntry === undefined) return ''
  return foundEntry.isDirectory()
    ? `${foundEntry.dev}:${foundEntry.ino}`
    : `${foundEntry.dev}:${foundEntry.ino}:${foundEntry.ctimeMs}:${foundEntry.size}`
}

/** Renames a `.git` that is neither a folder nor a file as git writes it: git might find another repository than Haft. */
function disableDotGit(dotGit: string): string {
  return `A new repository is linked in the index of another one in an unusual way, so git would use its settings: ${dotGit} was renamed to ${moveAway(dotGit)}. Tell the user.`
}

/** Renames an index whose links are unknown. Git then knows of no linked repository; `git reset` restores the index. */
function disableIndex(folder: string, isWritable: (path: string) => boolean): string {
  const index = join(folder, 'index')
  if (!isWritable(index)) throw new Error(`the links in ${index} are unknown`)
  return `The index of a repository cannot be read, and not all repositories can be found, so git might run programs of a new one: ${index} was renamed to ${moveAway(index)}. Tell the user.`
}

/** Renames the files and folders of a git folder that could make git run programs. */
function disableSubmodule(folder: string): readonly string[] {
  const isForeign = (name: string) => {
    if (CONTROL_FOLDERS.includes(name))
      return readEntries(join(folder, name))?.every((entry) => entry.name.endsWith('.sample')) !== true
    return name === 'commondir' ? lookAt(join(folder, name)) !== undefined : !isOrdinaryConfigFile(join(folder, name))
  }
  return ['config', 'config.worktree', 'commondir', ...CONTROL_FOLDERS].filter(isForeign).map((name) => {
    const path = join(folder, name)
    return `A new repository is linked in the index of another one, so git would use its settings: ${path} was renamed to ${moveAway(path)}, because it can make git run programs. Tell the user.`
  })
}

function isOrdinaryConfigFile(path: string): boolean {
  if (lookAt(path) === undefined) return true
  const readResult = readRegularText(path, { maxBytes: MAX_CONFIG_BYTES })
  return readResult.kind === 'found' && isOrdinaryConfig(readResult.content)
}
