import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, extname, isAbsolute, join } from 'node:path'
import { isRecord } from '../../shared/is-record.js'
import { isPathInside } from '../../shared/path-containment.js'
import { createSystemSearchPath, findProgram } from '../../system/find-program.js'
import { readRegularText } from '../../system/read-regular-file.js'
import type { ServerConfig } from './server-config.js'
import type { ServerProgram } from './server-table.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Where language servers are searched for. */
export interface ServerSearch {
  readonly servers: readonly ServerConfig[]
  readonly projectFolder: string
  /** The variables that servers inherit, without secrets. */
  readonly environment: Variables
  /** Whether programs of the project may run. */
  readonly isTrusted: boolean
}

/** A server that is installed, and what to start it with. */
export interface FoundServer {
  readonly config: ServerConfig
  readonly command: string
  readonly args: readonly string[]
  readonly root: string
  readonly language: string
}

/** Finds the first server for the type of a file that is installed. Nothing is run. */
export function findServer(path: string, search: ServerSearch): FoundServer | undefined {
  for (const config of selectByExtension(path, search.servers)) {
    const root = findRoot(path, config, search.projectFolder)
    const program = findServerProgram(config, root, search)
    if (program !== undefined) return { config, ...program, root, language: config.extensions[extname(path)] ?? '' }
  }
  return undefined
}

/** Explains why there is no server for a file, and what to install. */
export function explainMissingServer(path: string, search: ServerSearch): string {
  const extension = extname(path)
  const candidates = selectByExtension(path, search.servers)
  const settingsHint = 'The user can name a server in the setting languageServers.'
  if (candidates.length === 0)
    return `There is no language server for ${extension === '' ? `files without an extension, such as ${path}` : `${extension} files`}. ${settingsHint} Use Grep and Read instead.`
  const untrustedServer = candidates.find((config) => !search.isTrusted && !config.isSafeUntrusted)
  if (untrustedServer !== undefined && isInstalled(untrustedServer, path, { ...search, isTrusted: true }))
    return `${untrustedServer.name} is not started, because it can run code of the project and the user has not trusted this project. Use Grep and Read instead.`
  const hints = candidates.map(({ name, install, programs }) =>
    install === undefined ? `${name} (${programs[0]?.command} was not found)` : `${name} (${install})`,
  )
  return `No language server for ${extension} files is installed. Install one: ${hints.join('; ')}. ${settingsHint} Use Grep and Read until then.`
}

function isInstalled(config: ServerConfig, path: string, search: ServerSearch): boolean {
  return findServerProgram(config, findRoot(path, config, search.projectFolder), search) !== undefined
}

function selectByExtension(path: string, servers: readonly ServerConfig[]): readonly ServerConfig[] {
  return servers.filter(({ extensions }) => Object.hasOwn(extensions, extname(path)))
}

/** Returns the path of a server's program. If the project is trusted, its own programs come first, as in npm scripts. */
export function findServerProgram(
  { programs, isSafeUntrusted }: ServerConfig,
  root: string,
  { projectFolder, environment, isTrusted }: ServerSearch,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (!isTrusted && !isSafeUntrusted) return undefined
  const ownFolders = [...new Set([root, projectFolder])].map((folder) => join(folder, 'node_modules', '.bin'))
  const searchPath = environment.PATH ?? ''
  const variables = {
    PATH: isTrusted ? [...ownFolders, searchPath].join(delimiter) : createSystemSearchPath(searchPath, projectFolder),
  }
  for (const program of programs) {
    const { command, args } = program
    const path = isAbsolute(command) ? command : findProgram(command, variables)
    if (path !== undefined && hasRequiredVersion(path, program)) return { command: path, args }
  }
  return undefined
}

/** Whether the package that a program belongs to is recent enough. Older versions may lack the language server. */
function hasRequiredVersion(path: string, { npmPackage }: ServerProgram): boolean {
  if (npmPackage === undefined) return true
  const packageFile = join(dirname(dirname(realpathSync(path))), 'package.json')
  const text = readRegularText(packageFile, { maxBytes: MAX_PACKAGE_BYTES })
  if (text.kind !== 'found') return false
  try {
    const description: unknown = JSON.parse(text.content)
    if (!isRecord(description) || description.name !== npmPackage.name) return false
    return Number.parseInt(String(description.version), 10) >= npmPackage.minMajor
  } catch {
    // The file is not JSON, so this is not the program of the package.
    return false
  }
}

const MAX_PACKAGE_BYTES = 1024 ** 2

/**
 * Returns the folder that a server works on for a file: the nearest or outermost one with a marker. Folders outside the
 * repository, or outside the project if there is none, do not count.
 */
export function findRoot(path: string, { rootMarkers, root }: ServerConfig, projectFolder: string): string {
  const isInProject = isPathInside(path, projectFolder)
  const markedFolders: string[] = []
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (rootMarkers.some((marker) => existsSync(join(folder, marker)))) markedFolders.push(folder)
    if (existsSync(join(folder, '.git'))) return chooseFolder(markedFolders, root) ?? folder
    if (isInProject && folder === projectFolder) break
  }
  if (isInProject) return chooseFolder(markedFolders, root) ?? projectFolder
  return markedFolders[0] ?? dirname(path)
}

function chooseFolder(folders: readonly string[], root: ServerConfig['root']): string | undefined {
  return root === 'nearest' ? folders[0] : folders.at(-1)
}
