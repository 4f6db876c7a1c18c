import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { ToolCallError } from '../../../contract/errors.js'
import { trimEnd } from '../../../shared/trim-end.js'
import { parseGitConfig } from '../../../shell/git/parse-git-config.js'
import { readRegularText } from '../../../system/read-regular-file.js'
import { parsePlainPath } from '../../repository/plain-path.js'
import { lookAt } from '../look-at.js'
import { isUnmountableName, readEntries } from './folder-listings.js'
import { CONTROL_FILES, CONTROL_FOLDERS } from './protected-names.js'

const MAX_MODULE_DEPTH = 20
const MAX_INCLUDED_FILES = 100
/** More than any real configuration has. */
const MAX_TEXT_BYTES = 1024 * 1024

/** The paths of a git folder that must not change while a command runs. */
export interface GitControl {
  /** Files and folders that are made read-only if they exist. */
  readonly guardedPaths: readonly string[]
  /** Folders that must not be created. */
  readonly barredPaths: readonly string[]
  /** Files that must not be created, with a content that means the same to git as a missing file. */
  readonly fixedFiles: readonly { readonly path: string; readonly content: string }[]
  /** Folders that must not be renamed or replaced. */
  readonly pinnedFolders: readonly string[]
}

/** Returns a git folder and those of its linked worktrees and submodules. */
export function listGitFolders(folder: string): readonly string[] {
  const worktrees = listFoldersIn(join(folder, 'worktrees')).filter(isGitFolder)
  return [folder, ...worktrees, ...listFoldersIn(join(folder, 'modules')).flatMap((path) => listModules(path))]
}

/**
 * Lists the git folders of submodules. The name of a submodule can contain slashes, so its git folder can be several levels
 * below.
 */
function listModules(folder: string, depth = MAX_MODULE_DEPTH): readonly string[] {
  if (isGitFolder(folder)) return listGitFolders(folder)
  if (depth === 0) throw createUnprotectableError(`${folder} is nested too deeply`)
  return listFoldersIn(folder).flatMap((path) => listModules(path, depth - 1))
}

/** Whether git treats a folder inside a git folder as a git folder of its own. */
function isGitFolder(folder: string): boolean {
  return lookAt(join(folder, 'HEAD')) !== undefined
}

function listFoldersIn(folder: string): readonly string[] {
  if (lookAt(folder)?.isDirectory() !== true) return []
  const entries = readEntries(folder)
  if (entries === undefined || entries.some(({ name }) => isUnmountableName(name)))
    throw createUnprotectableError(`${folder} or a name in it cannot be read`)
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
}

/** The git configuration that applies to every repository of a user. */
export interface UserGitConfig {
  readonly home: string
  /** Configuration files of the user and of the machine. They need not exist. */
  readonly configs: readonly string[]
  /** The configuration files that environment variables name. They can be in any folder. */
  readonly namedConfigs: readonly string[]
  /** Settings in environment variables, which override those in files. */
  readonly settings: readonly { readonly key: string; readonly value: string }[]
}

/** Where builds of git look for the configuration of the machine. */
const MACHINE_CONFIGS = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']
const MAX_VARIABLE_SETTINGS = 100

export function findUserGitConfig(
  home: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): UserGitConfig {
  const { XDG_CONFIG_HOME = '', GIT_CONFIG_GLOBAL = '', GIT_CONFIG_SYSTEM = '', GIT_CONFIG_COUNT = '0' } = variables
  const namedConfigs = [
    ...(isAbsolute(XDG_CONFIG_HOME) ? [join(XDG_CONFIG_HOME, 'git/config')] : []),
    ...[GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM].filter(isAbsolute),
  ]
  const count = Math.min(Number.parseInt(GIT_CONFIG_COUNT, 10) || 0, MAX_VARIABLE_SETTINGS)
  return {
    home,
    configs: [join(home, '.gitconfig'), join(home, '.config/git/config'), ...namedConfigs, ...MACHINE_CONFIGS],
    namedConfigs,
    settings: Array.from({ length: count }, (_, index) => ({
      key: (variables[`GIT_CONFIG_KEY_${index}`] ?? '').toLowerCase(),
      value: variables[`GIT_CONFIG_VALUE_${index}`] ?? '',
    })),
  }
}

/** Returns the paths that decide which programs git runs for a git folder, which is `outermost` or inside it. */
export function findGitControl(
  folder: string,
  { outermost, user }: { outermost: string; user: UserGitConfig },
): GitControl {
  const namedFiles = listNamedFiles(folder, user)
  const isLinked = lookAt(join(folder, 'commondir')) !== undefined
  return {
    guardedPaths: [...CONTROL_FILES.map((name) => join(folder, name)), ...namedFiles.hooks, ...namedFiles.files],
    barredPaths: [...(isLinked ? [] : CONTROL_FOLDERS.map((name) => join(folder, name))), ...namedFiles.hooks],
    fixedFiles: [
      { path: join(folder, 'commondir'), content: OWN_FOLDER_CONTENT },
      ...[...(isLinked ? [] : ['config', 'info/attributes']), 'config.worktree'].map((name) => ({
        path: join(folder, name),
        content: '',
      })),
      ...namedFiles.files.map((path) => ({ path, content: '' })),
    ],
    pinnedFolders: listFoldersBetween(outermost, folder),
  }
}

/** The content of `commondir` with which git uses the git folder itself, as without the file. */
export const OWN_FOLDER_CONTENT = '.\n'

function listFoldersBetween(outermostFolder: string, folder: string): readonly string[] {
  return folder === outermostFolder || folder === dirname(folder)
    ? [folder]
    : [...listFoldersBetween(outermostFolder, dirname(folder)), folder]
}

interface NamedFiles {
  /** Folders with hooks. */
  readonly hooks: readonly string[]
  /** Included configuration files, and files with attributes. */
  readonly files: readonly string[]
}

/** Returns the files and folders that are named in the configuration of a git folder or in the user's configuration for it. */
function listNamedFiles(folder: string, { home, ...user }: UserGitConfig): NamedFiles {
  const commonFile = join(folder, 'commondir')
  const commonPath = parsePlainPath(readRequiredText(commonFile) ?? '.')
  if (commonPath === undefined) throw createUnprotectableError(`${commonFile} does not have the form that git writes`)
  const commonFolder = resolve(folder, commonPath)
  const configs = [join(commonFolder, 'config'), join(folder, 'config.worktree')]
  const settings = [
    ...configs.flatMap((path) => readConfig(path)),
    ...user.configs.flatMap((path) => readConfig(path)),
    ...user.settings.filter(({ value }) => value !== '').map((setting) => ({ ...setting, config: '/' })),
  ]
  const baseFolders = listHookFolders(folder, settings)
  const all = addIncludedSettings(settings, home)
  const filterSettings = (key: string) => all.filter((setting) => setting.key === key)
  const resolvePathsOf = (key: string) =>
    filterSettings(key).flatMap(({ value }) => resolveInFolders(baseFolders, value, home))
  return {
    hooks: [...new Set(resolvePathsOf('core.hookspath'))],
    files: [
      ...new Set([
        ...resolvePathsOf('core.attributesfile'),
        ...all.flatMap((setting) => listIncludedFiles(setting, home)),
      ]),
    ],
  }
}

/**
 * Returns the files and folders that are named in the configuration of the repositories around a path, including their
 * submodules and worktrees. Writing them could change what git runs. If the configuration cannot be read, returns the working
 * tree as a whole.
 */
export function listNamedAround(
  path: string,
  user: UserGitConfig,
  foundPaths = new Map<string, readonly string[]>(),
): readonly string[] {
  const knownPaths = foundPaths.get(path)
  if (knownPaths !== undefined) return knownPaths
  const parent = dirname(path)
  const outerPaths = parent === path ? user.namedConfigs : listNamedAround(parent, user, foundPaths)
  const gitFolder = followDotGit(path)?.folder
  const paths = gitFolder === undefined ? outerPaths : [...outerPaths, ...listNamedInRepository(gitFolder, path, user)]
  foundPaths.set(path, paths)
  return paths
}

/**
 * Creates a `listNamedAround` for the many paths of one decision, which share most of their folders. What was found is
 * forgotten before anything else runs, because other programs may change it.
 */
export function createNamedPathsFinder(getUser: () => UserGitConfig): (path: string) => readonly string[] {
  let foundPaths: Map<string, readonly string[]> | undefined
  return (path) => {
    if (foundPaths === undefined) {
      foundPaths = new Map()
      queueMicrotask(() => {
        foundPaths = undefined
      })
    }
    return listNamedAround(path, getUser(), foundPaths)
  }
}

function listNamedInRepository(gitFolder: string, worktree: string, user: UserGitConfig): readonly string[] {
  try {
    const namedFiles = listGitFolders(gitFolder).map((folder) => listNamedFiles(folder, user))
    return namedFiles.flatMap(({ hooks, files }) => [...hooks, ...files])
  } catch (error) {
    if (error instanceof ToolCallError) return [worktree]
    throw error
  }
}

/** Adds the settings of included files. The conditions of includes are ignored. */
function addIncludedSettings(settings: readonly NamingSetting[], home: string): readonly NamingSetting[] {
  const all = [...settings]
  const visitedPaths = new Set<string>()
  for (const setting of all) {
    for (const path of listIncludedFiles(setting, home)) {
      if (visitedPaths.has(path)) continue
      if (visitedPaths.size >= MAX_INCLUDED_FILES)
        throw createUnprotectableError(`${setting.config} includes too many files`)
      visitedPaths.add(path)
      all.push(...readConfig(path))
    }
  }
  return all
}

function listIncludedFiles({ key, value, config }: NamingSetting, home: string): readonly string[] {
  return key === 'include.path' || key === 'includeif.path' ? resolveInFolders([dirname(config)], value, home) : []
}

interface NamingSetting {
  readonly key: string
  readonly value: string
  readonly config: string
}

/** Returns the settings that can name files, without parsing a configuration that has none. */
function readConfig(config: string): readonly NamingSetting[] {
  const text = readRequiredText(config)
  if (text === undefined || !/path|worktree|attributesfile/i.test(text)) return []
  return parseGitConfig(text).settings.flatMap(({ section, name, value }) =>
    value === null || value === '' ? [] : [{ key: `${section}.${name}`, value, config }],
  )
}

/** Returns the folders in which git runs hooks. A relative path of the configuration is relative to them. */
function listHookFolders(folder: string, settings: readonly NamingSetting[]): readonly string[] {
  const dotGit = readPathFrom(join(folder, 'gitdir'))
  const worktrees = settings.flatMap(({ key, value }) => (key === 'core.worktree' ? [resolve(folder, value)] : []))
  const linkedFolders = dotGit === undefined ? [] : [dirname(dotGit)]
  return [
    ...new Set([folder, ...(basename(folder) === '.git' ? [dirname(folder)] : []), ...worktrees, ...linkedFolders]),
  ]
}

const GIT_FILE_PREFIX = 'gitdir: '

/** The git folder to which the `.git` of a working tree leads. */
interface DotGit {
  /** The real path of the git folder; undefined if git would not find any. */
  readonly folder: string | undefined
  /** Whether it is a folder or a file as git itself writes them. */
  readonly isPlain: boolean
}

/** Follows the `.git` of a working tree as git does; undefined if there is none. */
export function followDotGit(worktree: string): DotGit | undefined {
  const dotGit = join(worktree, '.git')
  const foundEntry = lookAt(dotGit)
  if (foundEntry === undefined) return undefined
  if (foundEntry.isDirectory()) return { folder: findRealFolder(dotGit), isPlain: true }
  const text = readText(dotGit)
  const isPlain = foundEntry.isFile() && parsePlainPath(text ?? '', GIT_FILE_PREFIX) !== undefined
  if (text === undefined) return { folder: findRealFolder(dotGit), isPlain }
  if (!text.startsWith(GIT_FILE_PREFIX)) return { folder: undefined, isPlain }
  const path = trimEnd(text.slice(GIT_FILE_PREFIX.length), '\r\n')
  // Not normalised, because git follows a link before it applies the `..` after it.
  return { folder: findRealFolder(isAbsolute(path) ? path : `${worktree}/${path}`), isPlain }
}

function findRealFolder(path: string): string | undefined {
  try {
    const realPath = realpathSync.native(path)
    return lookAt(realPath)?.isDirectory() ? realPath : undefined
  } catch {
    // Missing, or not a valid path.
    return undefined
  }
}

function readPathFrom(file: string): string | undefined {
  const path = readText(file)?.trim()
  return path === undefined || path === '' ? undefined : resolve(dirname(file), path)
}

function resolveInFolders(baseFolders: Iterable<string>, path: string, home: string): readonly string[] {
  if (path.startsWith('~/')) return [join(home, path.slice(2))]
  if (isAbsolute(path)) return [path]
  // `~user` and `%(prefix)` lead out of the working folders.
  return /^[~%]/.test(path) ? [] : [...baseFolders].map((baseFolder) => resolve(baseFolder, path))
}

/** Reads a file that decides what git runs. Throws if git might read more of it than Haft does. */
function readRequiredText(file: string): string | undefined {
  const text = readText(file)
  if (text !== undefined || lookAt(file) === undefined || isEmptyForGit(file)) return text
  throw createUnprotectableError(`${file} is not a readable file of at most ${MAX_TEXT_BYTES} bytes`)
}

function createUnprotectableError(reason: string): ToolCallError {
  return new ToolCallError(
    'unavailable',
    `The sandbox cannot protect what git runs: ${reason}. Tell the user to look at it and to remove or rename it.`,
  )
}

/** Whether a path that cannot be read is a folder, a broken link or the null device. */
function isEmptyForGit(file: string): boolean {
  try {
    const target = realpathSync(file)
    return target === '/dev/null' || lookAt(target)?.isDirectory() === true
  } catch {
    return true
  }
}

function readText(file: string): string | undefined {
  // Most files are missing, and a lookup is faster than an error.
  const readResult = lookAt(file) === undefined ? undefined : readRegularText(file, { maxBytes: MAX_TEXT_BYTES })
  return readResult?.kind === 'found' ? readResult.content : undefined
}
