import { accessSync, constants, type Dirent, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { lookAt } from '../look-at.js'
import type { Mount } from '../mounts.js'

/** Far enough for the packages of a repository; the search runs before every command and must stay short. */
const MAX_DEPTH = 3
const MAX_FOLDERS = 300

const SKIPPED = new Set(['node_modules', '.pnpm-store', '.venv', 'target', '__pycache__'])

/** Protected files and folders that exist in a folder, near its top. Links are named, and not followed. */
export function findProtected(root: string): readonly string[] {
  const found = gitParts(root)
  let folders = [root]
  let left = MAX_FOLDERS
  for (let depth = 0; depth <= MAX_DEPTH && folders.length > 0; depth++) {
    const next: string[] = []
    for (const folder of folders) {
      if (left-- <= 0) return found
      for (const entry of entries(folder)) look(folder, entry, found, next)
    }
    folders = next
  }
  return found
}

function look(folder: string, entry: Dirent, found: string[], next: string[]): void {
  const path = join(folder, entry.name)
  const inside = PROTECTED_INSIDE.get(entry.name)
  if (PROTECTED_NAMES.has(entry.name)) found.push(path)
  else if (inside !== undefined) found.push(...existing(path, inside))
  else if (entry.name === '.git' && !entry.isDirectory()) found.push(path)
  else if (isGitFolder(entry.name)) found.push(...gitParts(path))
  else if (entry.isDirectory() && !SKIPPED.has(entry.name)) next.push(path)
}

function isGitFolder(name: string): boolean {
  return name.endsWith('.git')
}

/** Those of a repository, and of the submodules that it keeps. */
function gitParts(folder: string): string[] {
  if (!isGitFolder(basename(folder)) && basename(join(folder, '..')) !== 'modules') return []
  const names = [...PROTECTED_IN_GIT.filter((part) => !part.includes('/')), GIT_REDIRECT]
  const info = existing(join(folder, 'info'), ['attributes'])
  const modules = entries(join(folder, 'modules')).filter((entry) => entry.isDirectory())
  return [
    ...existing(folder, names),
    ...info,
    ...modules.flatMap(({ name }) => gitParts(join(folder, 'modules', name))),
  ]
}

function existing(folder: string, names: readonly string[]): string[] {
  const wanted = new Set(names)
  return entries(folder)
    .filter(({ name }) => wanted.has(name))
    .map(({ name }) => join(folder, name))
}

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // No folder, or one that nobody here can read: a command cannot change what is in it.
    return []
  }
}

/**
 * What would let a command act later, outside of the sandbox, if it could write there. The permission system asks about the
 * same names; the layers keep that list out of reach here, and a test compares the two.
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

/** The same for what lies in another folder. */
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

/** The parts of a git folder that can run programs; the rest must stay writable, or nothing could be committed. */
export const PROTECTED_IN_GIT: readonly string[] = ['hooks', 'config', 'config.worktree', 'info/attributes']

/** Leads git to the configuration and the hooks of another folder. Only linked worktrees have it, and those elsewhere. */
export const GIT_REDIRECT = 'commondir'

/** What must not come into being at the top of a writable folder either, because Haft or git would act on it. */
export const BARRED_AT_TOP: readonly string[] = [
  ...PROTECTED_IN_GIT.map((part) => `.git/${part}`),
  ...['.haft', '.claude', '.mcp.json'],
]

/** What must not come into being in home, because the next login would run it. */
export const BARRED_IN_HOME: readonly string[] = [
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.pam_environment', '.ssh'],
  ...['.zshenv', '.zprofile', '.zshrc', '.zlogin', '.zlogout', '.xprofile', '.xsessionrc', '.gitconfig'],
  ...['.config/fish', '.config/environment.d', '.config/autostart', '.config/systemd', '.config/git', '.local/bin'],
]

/** What makes any folder a repository, whose configuration git then obeys if `.git` is broken. */
const REPOSITORY = ['HEAD', 'objects', 'refs']

/**
 * Names by which a command could lead git to a configuration of its own. A placeholder in their place would break git for
 * everybody, so they are taken away when the command has ended; gives what does that.
 */
export function watchGitDecoys(folders: readonly string[]): () => void {
  const redirects = folders
    .filter((folder) => lookAt(join(folder, '.git'))?.isDirectory())
    .map((folder) => join(folder, '.git', GIT_REDIRECT))
    .filter(isMissing)
  const plain = folders.filter((folder) => isMissing(join(folder, 'HEAD')))
  return () => {
    for (const path of redirects) remove(path)
    for (const folder of plain.filter(isRepository)) remove(join(folder, 'HEAD'))
  }
}

function isRepository(folder: string): boolean {
  return REPOSITORY.every((name) => !isMissing(join(folder, name)))
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

/** What keeps a path from being written and, if it is barred, from being made. Empty where nothing has to be done. */
export function guardPath(path: string, options: GuardOptions): readonly Mount[] {
  const { isBarred, isPlaceholder, linksLeft = MAX_LINKS } = options
  const found = lookUnlessPlaceholder(path, isPlaceholder)
  if (found === undefined) return isBarred ? bar(path, isPlaceholder) : []
  if (!found.isSymbolicLink()) return [{ path: realpathSync(path), kind: 'read-only' }]
  if (linksLeft === 0) return []
  const target = resolve(realpathSync(dirname(path)), readlinkSync(path))
  return [...guardPath(target, { ...options, linksLeft: linksLeft - 1 }), ...keepLink(path)]
}

function lookUnlessPlaceholder(path: string, isPlaceholder: GuardOptions['isPlaceholder']) {
  const found = lookAt(path)
  return found?.isDirectory() && isPlaceholder(path) ? undefined : found
}

/** A link cannot be mounted upon; in a git folder, the folder around it stops instead. */
function keepLink(path: string): readonly Mount[] {
  const folder = dirname(path)
  return basename(folder) === '.git' ? [{ path: realpathSync(folder), kind: 'read-only' }] : []
}

/** Takes the place of the first part that is missing. */
function bar(path: string, isPlaceholder: GuardOptions['isPlaceholder']): readonly Mount[] {
  const parent = dirname(path)
  if (parent === path) return []
  if (lookUnlessPlaceholder(parent, isPlaceholder) === undefined) return bar(parent, isPlaceholder)
  try {
    const folder = realpathSync(parent)
    accessSync(folder, constants.W_OK)
    if (lookAt(folder)?.isDirectory() !== true) return []
    return [{ path: join(folder, basename(path)), kind: 'absent' }]
  } catch {
    // The parent is a link to nowhere, or closed to us: nothing can be made there.
    return []
  }
}
