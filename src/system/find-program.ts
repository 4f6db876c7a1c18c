import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isPathInside } from '../shared/path-containment.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Where systems keep their programs. The last two are those of NixOS and of Homebrew. */
const SYSTEM_FOLDERS = [
  ...['/usr/bin', '/bin', '/usr/local/bin', '/usr/sbin', '/sbin'],
  ...['/run/current-system/sw/bin', '/opt/homebrew/bin'],
]
const WINDOWS_EXTENSIONS = ['.exe', '.cmd', '.bat']

/** The path of a program on PATH; undefined if there is none. Nothing is run. */
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
 * The PATH for programs that Haft itself needs, such as mkfifo and git: the folders of the system first, then those of PATH
 * that no project can fill.
 */
export function systemSearchPath(searchPath = '', projectFolder: string = process.cwd()): string {
  const systemFolders = process.platform === 'win32' ? [] : SYSTEM_FOLDERS
  return [...systemFolders, withoutProjectFolders(searchPath, [projectFolder])].join(delimiter)
}

/** A PATH without folders that a project can fill: those below its folders, relative ones and `node_modules/.bin`. */
export function withoutProjectFolders(searchPath: string, projectFolders: readonly string[]): string {
  const isOfProject = (folder: string) =>
    !isAbsolute(folder) ||
    /[\\/]node_modules[\\/]\.bin/.test(folder) ||
    projectFolders.some((project) => isPathInside(folder, project))
  return searchPath
    .split(delimiter)
    .filter((folder) => !isOfProject(folder))
    .join(delimiter)
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
