import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { parseGitConfig } from '../../../shell/git/parse-git-config.js'
import { lookAt } from '../look-at.js'

/**
 * What git reads for a folder beside the folder itself: the repository around it, and for a linked worktree or a
 * submodule the git folder elsewhere that its `.git` file names. If the home folder is a repository, only its `.git` is
 * shown. Objects that a repository borrows from another one are not: the borrower alone decides whose they are.
 */
export function gitFoldersOf(folder: string, home: string): readonly string[] {
  const top = findRepository(folder)
  if (top === undefined) return []
  const dotGit = join(top, '.git')
  const shown = isPathInside(home, top) ? [dotGit] : [top]
  const linked = lookAt(dotGit)?.isFile() ? pathIn(dotGit, /^gitdir: (.+)$/m) : undefined
  if (linked === undefined || !belongsTo(linked, dotGit)) return shown
  return [...shown, linked, pathIn(join(linked, 'commondir'), /^(.+)$/m) ?? linked]
}

function findRepository(folder: string): string | undefined {
  if (lookAt(join(folder, '.git')) !== undefined) return folder
  const parent = dirname(folder)
  return parent === folder ? undefined : findRepository(parent)
}

/** Whether a git folder names the worktree as its own. Otherwise a `.git` file could show any other repository. */
function belongsTo(gitFolder: string, dotGit: string): boolean {
  const worktree = pathIn(join(gitFolder, 'gitdir'), /^(.+)$/m)
  if (worktree !== undefined) return isSameFile(worktree, dotGit)
  const { settings } = parseGitConfig(read(join(gitFolder, 'config')) ?? '')
  const path = settings.find(({ section, name }) => section === 'core' && name === 'worktree')?.value
  return typeof path === 'string' && isSameFile(resolve(gitFolder, path), dirname(dotGit))
}

function isSameFile(path: string, other: string): boolean {
  const [found, expected] = [lookAt(path), lookAt(other)]
  return found !== undefined && found.ino === expected?.ino && found.dev === expected.dev
}

/** The path that a file contains, relative to the folder of the file. */
function pathIn(file: string, pattern: RegExp): string | undefined {
  const path = pattern.exec(read(file) ?? '')?.[1]?.trim()
  return path === undefined ? undefined : resolve(dirname(file), path)
}

/** The user's configuration files of git that contain no credentials. Git reads the file as missing otherwise. */
export function harmlessGitConfigs(home: string): readonly string[] {
  const files = ['.gitconfig', '.config/git/config'].map((name) => join(home, name))
  const lists = ['.config/git/ignore', '.config/git/attributes', '.gitignore', '.gitignore_global', '.gitattributes']
  return [...files.filter(isHarmlessConfig), ...lists.map((name) => join(home, name))].filter(
    (path) => lookAt(path) !== undefined,
  )
}

/** Sections without credentials. Only what is known to be harmless is shown. */
const HARMLESS_SECTIONS: ReadonlySet<string> = new Set([
  ...['user', 'author', 'committer', 'core', 'alias', 'color', 'column', 'diff', 'difftool', 'merge', 'mergetool'],
  ...['init', 'pull', 'push', 'fetch', 'rebase', 'rerere', 'log', 'format', 'safe', 'commit', 'gpg', 'tag', 'branch'],
  ...['advice', 'status', 'help', 'pager', 'interactive', 'delta', 'include', 'includeif', 'filter', 'lfs', 'index'],
  ...['feature', 'gc', 'maintenance', 'pack', 'protocol', 'submodule', 'blame', 'grep', 'worktree', 'checkout'],
  ...['stash', 'extensions', 'transfer', 'receive', 'apply', 'versionsort', 'i18n', 'mailmap', 'showbranch', 'man'],
])
const CREDENTIALS = /:\/\/[^/\s]*@|token|password|passwd|secret|bearer|basic /i

function isHarmlessConfig(file: string): boolean {
  const text = read(file)
  if (text === undefined || CREDENTIALS.test(text)) return false
  const { settings, isMalformed } = parseGitConfig(text)
  return !isMalformed && settings.every(({ section, name }) => isHarmlessSetting(section, name))
}

/** Which helper knows the password is no secret; other settings of `credential` and `http` may be. */
function isHarmlessSetting(section: string, name: string): boolean {
  return HARMLESS_SECTIONS.has(section) || `${section}.${name}` === 'credential.helper' || section === 'url'
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Missing, not a file, or not readable.
    return undefined
  }
}
