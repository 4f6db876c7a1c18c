import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isPathInside } from '../shared/path-containment.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Where systems keep their programs. The last two are those of NixOS and of Homebrew. */
const SYSTEM_FOLDERS = [
  ...['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'],
  ...['/run/current-system/sw/bin', '/opt/homebrew/bin'],
]
const WINDOWS_EXTENSIONS = ['.exe', '.cmd', '.bat']

/** Returns the path of a program on PATH; undefined if there is none. Nothing is run. */
export function findProgram(
  name: string,
  environment: Variables,
  platform: string = process.platform,
): string | undefined {
  const searchPath = environment.PATH ?? environment.Path ?? ''
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  const extensions = platform === 'win32' && !/\.\w+$/.test(name) ? WINDOWS_EXTENSIONS : ['']
  return listCandidatePaths(folders, name, extensions).find(isExecutable)
}

export interface SystemProgramSearch {
  readonly searchPath: string
  /** Folders that commands may write to. */
  readonly writableFolders: readonly string[]
}

/** Like `findProgram`, but prefers the folders of the system and never returns a program that a command could have written. */
export function findSystemProgram(
  name: string,
  { searchPath, writableFolders }: SystemProgramSearch,
): string | undefined {
  const folders = [...SYSTEM_FOLDERS, ...searchPath.split(delimiter).filter(isAbsolute)]
  return listCandidatePaths(folders, name, ['']).find((path) => {
    if (!isExecutable(path)) return false
    const locations = [path, realpathSync(path)]
    return !writableFolders.some((folder) => locations.some((location) => isPathInside(location, folder)))
  })
}

/**
 * Creates the PATH for programs that Haft itself needs, such as mkfifo and git: the folders of the system first, then those of
 * PATH that no project can fill.
 */
export function createSystemSearchPath(searchPath = '', projectFolder: string = process.cwd()): string {
  const systemFolders = process.platform === 'win32' ? [] : SYSTEM_FOLDERS
  return [...systemFolders, removeProjectFolders(searchPath, [projectFolder])].join(delimiter)
}

/**
 * Removes from a PATH the folders that a project can fill: folders inside the project or its repository, with links resolved,
 * relative folders, and `node_modules/.bin`.
 */
export function removeProjectFolders(searchPath: string, projectFolders: readonly string[]): string {
  const ownFolders = projectFolders.flatMap((folder) => [folder, resolveFolder(findRepositoryRoot(folder) ?? folder)])
  const isProjectFolder = (folder: string) =>
    !isAbsolute(folder) ||
    /[\\/]node_modules[\\/]\.bin/.test(folder) ||
    [folder, resolveFolder(folder)].some((path) => ownFolders.some((own) => isPathInside(path, own)))
  return searchPath
    .split(delimiter)
    .filter((folder) => !isProjectFolder(folder))
    .join(delimiter)
}

/**
 * Returns the nearest folder upwards that holds a git repository. The home folder does not count: the programs that its user
 * installs there are not those of a project.
 */
function findRepositoryRoot(folder: string): string | undefined {
  const home = homedir()
  for (let at = folder; at !== home && at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
  }
  return undefined
}

function resolveFolder(folder: string): string {
  try {
    // Every command resolves all folders of PATH, and `realpathSync` without `native` takes ten times as long.
    return realpathSync.native(folder)
  } catch {
    // A folder that does not exist contains no programs.
    return folder
  }
}

function listCandidatePaths(
  folders: readonly string[],
  name: string,
  extensions: readonly string[],
): readonly string[] {
  return folders.flatMap((folder) => extensions.map((extension) => join(folder, name + extension)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Missing, or not executable for this user.
    return false
  }
}
