import { accessSync, constants, type Dirent, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.js'
import type { Mount } from '../mounts.js'

/** Deep enough for the packages of a repository. The search runs before every command and must be fast. */
const MAX_DEPTH = 3
const MAX_FOLDERS = 300

const SKIPPED_FOLDERS = new Set(['node_modules', '.pnpm-store', '.venv', 'target', '__pycache__'])

/** Protected files and folders in the upper levels of a folder. Links are listed but not followed. */
export function findProtected(root: string): readonly string[] {
  const found = listGitParts(root)
  let folders = [root]
  let remainingFolders = MAX_FOLDERS
  for (let depth = 0; depth <= MAX_DEPTH && folders.length > 0; depth++) {
    const nextFolders: string[] = []
    for (const folder of folders) {
      if (remainingFolders-- <= 0) return found
      for (const entry of readEntries(folder)) classifyEntry(folder, entry, found, nextFolders)
    }
    folders = nextFolders
  }
  return found
}

function classifyEntry(folder: string, entry: Dirent, found: string[], nextFolders: string[]): void {
  const path = join(folder, entry.name)
  const protectedInside = PROTECTED_INSIDE.get(entry.name)
  if (PROTECTED_NAMES.has(entry.name)) found.push(path)
  else if (protectedInside !== undefined) found.push(...listExistingEntries(path, protectedInside))
  else if (entry.name === '.git' && !entry.isDirectory()) found.push(path)
  else if (isGitFolder(entry.name)) found.push(...listGitParts(path))
  else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) nextFolders.push(path)
}

function isGitFolder(name: string): boolean {
  return name.endsWith('.git')
}

/** The protected parts of a repository and its submodules. */
function listGitParts(folder: string): string[] {
  if (!isGitFolder(basename(folder)) && basename(join(folder, '..')) !== 'modules') return []
  const names = [...PROTECTED_IN_GIT.filter((part) => !part.includes('/')), GIT_REDIRECT]
  const info = listExistingEntries(join(folder, 'info'), ['attributes'])
  const modules = readEntries(join(folder, 'modules')).filter((entry) => entry.isDirectory())
  return [
    ...listExistingEntries(folder, names),
    ...info,
    ...modules.flatMap(({ name }) => listGitParts(join(folder, 'modules', name))),
  ]
}

function listExistingEntries(folder: string, names: readonly string[]): string[] {
  const nameSet = new Set(names)
  return readEntries(folder)
    .filter(({ name }) => nameSet.has(name))
    .map(({ name }) => join(folder, name))
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Missing, not a folder, or not readable.
    return []
  }
}

/**
 * Files through which a command could act later, outside the sandbox. The permission system protects the same names; a
 * test compares the two lists.
 */
export const PROTECTED_NAMES: ReadonlySet<string> = new Set([
  // Shells
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bash_completion', '.profile'],
  ...['.inputrc', '.envrc', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.mkshrc', '.cshrc'],
  ...['.tcshrc', '.login', '.logout', '.xinitrc', '.xprofile', '.xsession', '.xsessionrc', '.pam_environment'],
  ...['.zsh', '.ssh'],
  // Git
  ...['.gitconfig', '.gitmodules', '.gitattributes', '.lfsconfig', '.husky', '.githooks'],
  // Editors
  ...['.vimrc', '.gvimrc', '.exrc', '.nvimrc', '.nvim.lua', '.ideavimrc', '.emacs', '.emacs.el', '.dir-locals.el'],
  ...['.nanorc', '.vscode', '.idea', '.vim', '.emacs.d', '.zed', '.cursor', '.fleet', '.helix'],
  // Haft itself
  ...['.haft', '.claude', '.mcp.json'],
  // Credentials
  ...['.netrc', '.npmrc', '.pypirc', '.git-credentials', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.pgpass'],
])

/** Protected files and folders inside a folder that is not protected itself, by the name of that folder. */
export const PROTECTED_INSIDE: ReadonlyMap<string, readonly string[]> = new Map([
  [
    '.config',
    [
      ...['fish', 'environment.d', 'autostart', 'git', 'nvim', 'Code', 'code', 'Cursor', 'cursor', 'zed', 'helix'],
      ...['gh', 'gcloud', 'systemd'],
    ],
  ],
  ['.cargo', ['credentials', 'credentials.toml', 'config', 'config.toml']],
  ['.local', ['bin']],
])

/** The parts of a git folder that can run programs. The rest must stay writable for commits. */
export const PROTECTED_IN_GIT: readonly string[] = ['hooks', 'config', 'config.worktree', 'info/attributes']

/** Redirects git to the configuration and hooks of another folder. Only linked worktrees have it. */
export const GIT_REDIRECT = 'commondir'

/** Files that must not be created at the top of a writable folder, because Haft or git would act on them. */
export const BARRED_AT_TOP: readonly string[] = [
  ...PROTECTED_IN_GIT.map((part) => `.git/${part}`),
  ...['.haft', '.claude', '.mcp.json'],
]

/** Files that must not be created in the home folder, because the next login would run them. */
export const BARRED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.pam_environment', '.ssh'],
  ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.xprofile', '.xsessionrc', '.gitconfig'],
  ...['.config/fish', '.config/environment.d', '.config/autostart', '.config/systemd', '.config/git', '.local/bin'],
]

/** Git treats a folder with these entries as a bare repository, and obeys its configuration if `.git` is broken. */
const REPOSITORY_FILES = ['HEAD', 'objects', 'refs']

/**
 * Finds missing files with which a command could redirect git to another configuration. Placeholders would break git,
 * so the returned function removes these files if they exist after the command.
 */
export function watchGitDecoys(folders: readonly string[]): () => void {
  const redirects = folders
    .filter((folder) => lookAt(join(folder, '.git'))?.isDirectory())
    .map((folder) => join(folder, '.git', GIT_REDIRECT))
    .filter(isMissing)
  const foldersWithoutHead = folders.filter((folder) => isMissing(join(folder, 'HEAD')))
  return () => {
    for (const path of redirects) remove(path)
    for (const folder of foldersWithoutHead.filter(isRepository)) remove(join(folder, 'HEAD'))
  }
}

function isRepository(folder: string): boolean {
  return REPOSITORY_FILES.every((name) => !isMissing(join(folder, name)))
}

function isMissing(path: string): boolean {
  return lookAt(path) === undefined
}

function remove(path: string): void {
  if (!isMissing(path)) rmSync(path, { recursive: true, force: true })
}

const MAX_LINKS = 8

interface GuardOptions {
  readonly isBarred: boolean
  readonly isPlaceholder: (path: string) => boolean
  readonly linksLeft?: number
}

/** The mounts that keep a path from being written and, if it is barred, from being created. */
export function guardPath(path: string, options: GuardOptions): readonly Mount[] {
  const { isBarred, isPlaceholder, linksLeft = MAX_LINKS } = options
  const found = lookUnlessPlaceholder(path, isPlaceholder)
  if (found === undefined) return isBarred ? barPath(path, isPlaceholder) : []
  if (!found.isSymbolicLink()) return [{ path: realpathSync(path), kind: 'read-only' }]
  if (linksLeft === 0) return []
  const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
  return [...guardPath(target, { ...options, linksLeft: linksLeft - 1 }), ...guardLink(path)]
}

function lookUnlessPlaceholder(path: string, isPlaceholder: GuardOptions['isPlaceholder']) {
  const found = lookAt(path)
  return found?.isDirectory() && isPlaceholder(path) ? undefined : found
}

/** Links cannot be mount points. In a git folder the parent is made read-only instead. */
function guardLink(path: string): readonly Mount[] {
  const folder = dirname(path)
  return basename(folder) === '.git' ? [{ path: realpathSync(folder), kind: 'read-only' }] : []
}

/** Blocks the first missing part of the path. */
function barPath(path: string, isPlaceholder: GuardOptions['isPlaceholder']): readonly Mount[] {
  const parent = dirname(path)
  if (parent === path) return []
  if (lookUnlessPlaceholder(parent, isPlaceholder) === undefined) return barPath(parent, isPlaceholder)
  try {
    const folder = realpathSync(parent)
    accessSync(folder, constants.W_OK)
    if (lookAt(folder)?.isDirectory() !== true) return []
    return [{ path: join(folder, basename(path)), kind: 'absent' }]
  } catch {
    // The parent is a broken link or not accessible: nothing can be created there.
    return []
  }
}
