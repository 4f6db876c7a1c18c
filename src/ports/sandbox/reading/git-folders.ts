import { basename, dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { mayHoldCredentials } from '../../../shell/git/credentials.js'
import { type GitSetting, parseGitConfig } from '../../../shell/git/parse-git-config.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { lookAt } from '../look-at.js'

const MAX_TEXT_BYTES = 1024 * 1024

/**
 * Returns what git reads for a folder besides the folder itself: the repository around it and, for a linked worktree or a
 * submodule, the git folder elsewhere that its `.git` file names. If the home folder is a repository, only its `.git` is
 * shown. Objects that a repository borrows from another one are not shown, because only the borrowing repository claims a
 * right to them.
 */
export function gitFoldersOf(folder: string, home: string): readonly string[] {
  const top = findRepository(folder)
  if (top === undefined) return []
  const dotGit = join(top, '.git')
  const shownFolders = isPathInside(home, top) ? [dotGit] : [top]
  const linkedFolder = lookAt(dotGit)?.isFile() ? readPathFrom(dotGit, /^gitdir: (.+)$/m) : undefined
  if (linkedFolder === undefined || !belongsTo(linkedFolder, dotGit)) return shownFolders
  const commonFolder = readPathFrom(join(linkedFolder, 'commondir'), /^(.+)$/m) ?? linkedFolder
  // A linked worktree is in the folder `worktrees` of its repository. Without this check, it could expose any folder.
  const isOwn = commonFolder === linkedFolder || isSameFile(commonFolder, dirname(dirname(linkedFolder)))
  return [...shownFolders, linkedFolder, ...(isOwn ? [commonFolder] : [])]
}

function findRepository(folder: string): string | undefined {
  if (lookAt(join(folder, '.git')) !== undefined) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : findRepository(parent)
}

/** Whether a git folder refers back to this worktree. Without this check, a `.git` file could expose any other repository. */
function belongsTo(gitFolder: string, dotGit: string): boolean {
  const worktree = readPathFrom(join(gitFolder, 'gitdir'), /^(.+)$/m)
  if (worktree !== undefined) return isSameFile(worktree, dotGit)
  const { settings } = parseGitConfig(read(join(gitFolder, 'config')) ?? '')
  const path = settings.find(({ section, name }) => section === 'core' && name === 'worktree')?.value
  return typeof path === 'string' && isSameFile(resolve(gitFolder, path), dirname(dotGit))
}

function isSameFile(path: string, other: string): boolean {
  const [foundEntry, expectedEntry] = [lookAt(path), lookAt(other)]
  return foundEntry !== undefined && foundEntry.ino === expectedEntry?.ino && foundEntry.dev === expectedEntry.dev
}

/** Returns the path that a file contains. A relative path is resolved against the folder of the file. */
function readPathFrom(file: string, pattern: RegExp): string | undefined {
  const path = pattern.exec(read(file) ?? '')?.[1]?.trim()
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

/** The usual names of such lists. A setting with another name could refer to any file. */
const LIST_NAMES: ReadonlySet<string> = new Set(['.gitignore', '.gitignore_global', '.gitattributes'])

function listNamedIn({ section, name, value }: GitSetting, home: string): readonly string[] {
  const isList = section === 'core' && (name === 'excludesfile' || name === 'attributesfile')
  if (!isList || value === null) return []
  const path = value.startsWith('~/') ? join(home, value.slice(2)) : value
  return dirname(path) === home && LIST_NAMES.has(basename(path)) ? [path] : []
}

function readHarmlessSettings(file: string): readonly GitSetting[] | undefined {
  const text = read(file)
  if (text === undefined) return undefined
  const { settings, isMalformed } = parseGitConfig(text)
  return isMalformed || settings.some(mayHoldCredentials) ? undefined : settings
}

function read(file: string): string | undefined {
  const readResult = readRegularText(file, { maxBytes: MAX_TEXT_BYTES })
  return readResult.kind === 'found' ? readResult.content : undefined
}
