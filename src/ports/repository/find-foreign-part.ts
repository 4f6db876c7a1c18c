import { type Dirent, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import type { FoundRepository } from './find-repository.js'
import type { GitSettings } from './read-settings.js'
import type { RecordedFiles } from './recorded-files.js'

/**
 * Returns the part of a repository that lies outside of it, or null. Git would print foreign files that symbolic links in the
 * git folder lead to, for example in error messages, and the contents of other repositories.
 */
export async function findForeignPart(
  files: RecordedFiles,
  repository: FoundRepository,
  settings: GitSettings,
): Promise<string | null> {
  return (
    (await findForeignFolder(files, repository, settings)) ??
    findForeignLink(files, repository) ??
    (await findAlternates(files, repository.commonFolder))
  )
}

/**
 * A git folder outside the working tree is accepted if it names this working tree: linked working trees do so in the file
 * `gitdir`, submodules in `core.worktree`, whose value is checked elsewhere.
 */
async function findForeignFolder(
  files: RecordedFiles,
  { gitFolder, commonFolder, root }: FoundRepository,
  { repositorySettings }: GitSettings,
): Promise<string | null> {
  const realFolder = realPathOf(gitFolder)
  if (commonFolder !== gitFolder) {
    const isLinked =
      basename(dirname(realFolder)) === 'worktrees' && dirname(dirname(realFolder)) === realPathOf(commonFolder)
    const backLink = isLinked && root !== null ? await files.readText(join(gitFolder, 'gitdir')) : null
    const pointsBack =
      backLink?.kind === 'found' && isSameFile(resolve(gitFolder, backLink.content.trim()), join(root ?? '', '.git'))
    return pointsBack ? null : `${gitFolder}, which uses the folder of another repository`
  }
  const isWorktreeConfigured = repositorySettings.some(({ section, name }) => section === 'core' && name === 'worktree')
  if (root === null || isWorktreeConfigured || isPathInside(realFolder, realPathOf(root))) return null
  return `${join(root, '.git')}, which leads to another repository`
}

/** Folders that git reads. The files in `hooks` are run and not printed; submodules in `modules` are examined on their own. */
const FOLDERS_READ_BY_GIT = new Set(
  'branches info logs rebase-apply rebase-merge refs reftable remotes rr-cache sequencer NOTES_MERGE_WORKTREE'.split(
    ' ',
  ),
)
const MAX_FOLDERS = 5000

/** The kind of a folder decides which of its folders git reads. */
type FolderKind = 'git' | 'worktrees' | 'objects' | 'any'

interface VisitedFolder {
  readonly path: string
  readonly kind: FolderKind
}

/** Finds a symbolic link that leads out of the git folder. The objects themselves are not examined: there are too many. */
function findForeignLink(files: RecordedFiles, { commonFolder, root }: FoundRepository): string | null {
  const modules = root === null ? null : join(root, '.gitmodules')
  if (modules !== null && files.lstat(modules)?.isLink === true) return describeLink(modules)
  const realFolder = realPathOf(commonFolder)
  const folders: VisitedFolder[] = [{ path: realFolder, kind: 'git' }]
  // Folders are added during the loop.
  for (const { path, kind } of folders) {
    const entries = folders.length > MAX_FOLDERS ? null : files.list(path)
    if (entries === null) return `${path}, which cannot be examined`
    const links = entries.filter((entry) => entry.isSymbolicLink() && !isUnread(entry.name, kind))
    const foreignLink = links.find(({ name }) => !isLinkInside(files, join(path, name), realFolder))
    if (foreignLink !== undefined) return describeLink(join(path, foreignLink.name))
    folders.push(...listFoldersIn(path, kind, entries))
  }
  return null
}

function listFoldersIn(path: string, kind: FolderKind, entries: readonly Dirent[]): readonly VisitedFolder[] {
  return entries.flatMap((entry) => {
    const innerKind = entry.isDirectory() ? kindOfFolder(entry.name, kind) : null
    return innerKind === null ? [] : [{ path: join(path, entry.name), kind: innerKind }]
  })
}

function kindOfFolder(name: string, parent: FolderKind): FolderKind | null {
  if (parent === 'any') return 'any'
  if (parent === 'worktrees') return 'git'
  if (parent === 'objects') return name === 'info' || name === 'pack' ? 'any' : null
  if (name === 'worktrees' || name === 'objects') return name
  return FOLDERS_READ_BY_GIT.has(name) ? 'any' : null
}

/** Hooks, and the locks of Emacs, which are links to nowhere. */
function isUnread(name: string, kind: FolderKind): boolean {
  return kind === 'git' && (name === 'hooks' || name.startsWith('.#'))
}

function isLinkInside(files: RecordedFiles, path: string, folder: string): boolean {
  const target = files.stat(path)
  return target !== null && isPathInside(realPathOf(path), folder)
}

function describeLink(path: string): string {
  return `${path}, which is a link to another folder`
}

/** Git reads the objects of other repositories that this file lists. */
async function findAlternates(files: RecordedFiles, commonFolder: string): Promise<string | null> {
  const path = join(commonFolder, 'objects', 'info', 'alternates')
  const alternatesFile = await files.readText(path)
  const isEmpty =
    alternatesFile.kind === 'absent' ||
    (alternatesFile.kind === 'found' && /^(?:#.*|\s*)$/.test(alternatesFile.content))
  return isEmpty ? null : `${path}, which names the objects of another repository`
}

function isSameFile(one: string, other: string): boolean {
  return realPathOf(one) === realPathOf(other)
}

/** Returns the path without symbolic links, or the path itself if it does not exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Nothing that exists is inside this path, so a comparison with it fails.
    return path
  }
}
