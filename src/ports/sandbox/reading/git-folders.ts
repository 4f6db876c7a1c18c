import { basename, dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { mayHoldCredentials } from '../../../shell/git/credentials.js'
import { type GitSetting, parseGitConfig } from '../../../shell/git/parse-git-config.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { parsePlainPath } from '../../repository/plain-path.js'
import { toRealPath } from '../../repository/real-path.js'
import { lookAt } from '../look-at.js'

const MAX_TEXT_BYTES = 1024 * 1024

/**
 * Returns what git reads for a folder besides the folder itself: the repository around it and, for a linked worktree or a
 * submodule, the git folder elsewhere that its `.git` file names. If the home folder is a repository, only its `.git` is
 * shown. Objects that a repository borrows from another one are not shown, because only the borrowing repository claims a
 * right to them. The paths contain no links: one that does is left out, because a link may lead to any folder.
 */
export function findVisibleGitFolders(folder: string, home: string): readonly string[] {
  const top = findRepository(toRealPath(folder))
  if (top === undefined) return []
  const dotGit = join(top, '.git')
  const shownFolders = (isPathInside(toRealPath(home), top) ? [dotGit] : [top]).filter(isWithoutLinks)
  const linkedFolder = lookAt(dotGit)?.isFile() ? readPathFrom(dotGit, 'gitdir: ') : undefined
  // The project could claim to be the git folder of a repository around it, and so expose the folders above it.
  const isElsewhere = linkedFolder !== undefined && isWithoutLinks(linkedFolder) && !isPathInside(linkedFolder, top)
  if (!isElsewhere || !belongsTo(linkedFolder, dotGit)) return shownFolders
  return [...shownFolders, linkedFolder, ...findCommonFolder(linkedFolder, home)]
}

function findRepository(folder: string): string | undefined {
  if (lookAt(join(folder, '.git')) !== undefined) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : findRepository(parent)
}

/** Whether a git folder refers back to this worktree. Without this check, a `.git` file could expose any other repository. */
function belongsTo(gitFolder: string, dotGit: string): boolean {
  const worktree = readPathFrom(join(gitFolder, 'gitdir'))
  if (worktree !== undefined) return toRealPath(worktree) === dotGit
  const { settings } = parseGitConfig(readSmallText(join(gitFolder, 'config')) ?? '')
  const path = settings.find(({ section, name }) => section === 'core' && name === 'worktree')?.value
  return typeof path === 'string' && toRealPath(resolve(gitFolder, path)) === dirname(dotGit)
}

/**
 * Returns the repository of a linked worktree, whose git folder is in the folder `worktrees` of the repository. Without these
 * checks, the file `commondir` could expose any folder.
 */
function findCommonFolder(linkedFolder: string, home: string): readonly string[] {
  const folder = readPathFrom(join(linkedFolder, 'commondir'))
  const isOwn = folder !== undefined && join(folder, 'worktrees') === dirname(linkedFolder)
  return isOwn && isGitFolder(folder) && !isPathInside(toRealPath(home), folder) ? [folder] : []
}

function isGitFolder(folder: string): boolean {
  const areFolders = ['objects', 'refs'].every((name) => lookAt(join(folder, name))?.isDirectory() === true)
  return areFolders && lookAt(join(folder, 'HEAD'))?.isFile() === true
}

function isWithoutLinks(path: string): boolean {
  return toRealPath(path) === path
}

/** Returns the path that a file contains. A relative path is resolved against the folder of the file. */
function readPathFrom(file: string, prefix = ''): string | undefined {
  const path = parsePlainPath(readSmallText(file) ?? '', prefix)
  return path === undefined ? undefined : resolve(dirname(file), path)
}

/**
 * Returns the user's git configuration files that contain no credentials, and the lists of ignored files and attributes that
 * git reads by default or by these settings. Other files are hidden from git.
 */
export function findHarmlessGitConfigs(home: string): readonly string[] {
  const files = ['.gitconfig', '.config/git/config'].map((name) => join(home, name))
  const defaultLists = ['.config/git/ignore', '.config/git/attributes'].map((name) => join(home, name))
  const shownFiles = files.flatMap((file) => {
    const settings = readHarmlessSettings(file)
    return settings === undefined ? [] : [file, ...settings.flatMap((setting) => listNamedIn(setting, home))]
  })
  return [...shownFiles, ...defaultLists].filter((path) => lookAt(path) !== undefined)
}

/** The usual names of lists of ignored files and attributes. A setting with another name could refer to any file. */
const LIST_NAMES: ReadonlySet<string> = new Set(['.gitignore', '.gitignore_global', '.gitattributes'])

function listNamedIn({ section, name, value }: GitSetting, home: string): readonly string[] {
  const isList = section === 'core' && (name === 'excludesfile' || name === 'attributesfile')
  if (!isList || value === null) return []
  const path = value.startsWith('~/') ? join(home, value.slice(2)) : value
  return dirname(path) === home && LIST_NAMES.has(basename(path)) ? [path] : []
}

function readHarmlessSettings(file: string): readonly GitSetting[] | undefined {
  const text = readSmallText(file)
  if (text === undefined) return undefined
  const { settings, isMalformed } = parseGitConfig(text)
  return isMalformed || settings.some(mayHoldCredentials) ? undefined : settings
}

function readSmallText(file: string): string | undefined {
  const readResult = readRegularText(file, { maxBytes: MAX_TEXT_BYTES })
  return readResult.kind === 'found' ? readResult.content : undefined
}
