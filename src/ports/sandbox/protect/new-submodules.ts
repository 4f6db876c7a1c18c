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

const MAX_DEPTH = 10
const MAX_INDEX_BYTES = 64 * 1024 * 1024

/** What is known of the repositories in the writable folders. Keep it between commands: an index is read only if it changed. */
export class Submodules {
  readonly #links = new Map<string, { readonly identity: string; readonly paths: readonly string[] | undefined }>()

  constructor(private readonly listings: FolderListings) {}

  /**
   * Notes the repositories in the writable folders. Git enters every repository that the index of another one links to, and a
   * command can create such a repository and the link to it. So the returned function disables what could run programs in
   * linked repositories that are new, and returns notices about it.
   */
  watch({
    writableFolders: roots,
    temporaryFolder,
    gitFolders: outermostFolders,
    gitFiles,
  }: WatchedFolders): () => readonly string[] {
    const knownIdentities = new Map(
      [...outermostFolders.flatMap(listGitFolders), ...gitFiles].map((path) => [path, identityOf(path)]),
    )
    const isNew = (path: string) =>
      knownIdentities.get(path) !== identityOf(path) &&
      [...roots, temporaryFolder].some((root) => isPathInside(path, root))
    return () => outermostFolders.flatMap((folder) => this.#disableIn(folder, { root: dirname(folder), roots, isNew }))
  }

  #disableIn(folder: string, search: Search, depth = MAX_DEPTH): readonly string[] {
    const { root, roots, isNew } = search
    const linkedFolders = this.#linksOf(folder)?.map((path) => join(root, path)) ?? this.#listRepositories(roots)
    if (linkedFolders === undefined) return [disableIndex(folder)]
    return linkedFolders.flatMap((path) => {
      const dotGit = followDotGit(path)
      if (dotGit === undefined) return []
      const { folder: gitFolder, isPlain } = dotGit
      if ((!isPlain || depth === 0) && isNew(join(path, '.git'))) return [disableDotGit(join(path, '.git'))]
      if (depth === 0 || gitFolder === undefined || !isNew(gitFolder)) return []
      return [...disableSubmodule(gitFolder), ...this.#disableIn(gitFolder, { ...search, root: path }, depth - 1)]
    })
  }

  /** Returns the paths that an index links to; undefined if it cannot be read or its format is not supported. */
  #linksOf(gitFolder: string): readonly string[] | undefined {
    const index = join(gitFolder, 'index')
    const identity = identityOf(index)
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

interface Search {
  /** The folder that links of the index are relative to. */
  readonly root: string
  readonly roots: readonly string[]
  readonly isNew: (path: string) => boolean
}

interface WatchedFolders {
  readonly writableFolders: readonly string[]
  /** Writable as well, but not searched. */
  readonly temporaryFolder: string
  /** The git folders in them that are not inside another one. */
  readonly gitFolders: readonly string[]
  /** Everything else that is named `.git`. */
  readonly gitFiles: readonly string[]
}

function identityOf(path: string): string {
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
function disableIndex(folder: string): string {
  const index = join(folder, 'index')
  return `The index of a repository cannot be read, and not all repositories can be found, so git might run programs of a new one: ${index} was renamed to ${moveAway(index)}. Tell the user.`
}

/** Renames what could run programs in a git folder. */
function disableSubmodule(folder: string): readonly string[] {
  const isForeign = (name: string) => {
    if (name === 'hooks')
      return readEntries(join(folder, name))?.every((entry) => entry.name.endsWith('.sample')) !== true
    return name === 'commondir' ? lookAt(join(folder, name)) !== undefined : !isOrdinaryConfigFile(join(folder, name))
  }
  return ['config', 'config.worktree', 'commondir', 'hooks'].filter(isForeign).map((name) => {
    const path = join(folder, name)
    return `A new repository is linked in the index of another one, so git would use its settings: ${path} was renamed to ${moveAway(path)}, because it can make git run programs. Tell the user.`
  })
}

function isOrdinaryConfigFile(path: string): boolean {
  if (lookAt(path) === undefined) return true
  const readResult = readRegularText(path, { maxBytes: MAX_CONFIG_BYTES })
  return readResult.kind === 'found' && isOrdinaryConfig(readResult.content)
}
