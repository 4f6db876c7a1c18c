import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { lookAt } from '../look-at.js'
import type { Mount } from '../mounts.js'
import { selectOutermostFolders, toHiddenMounts } from '../resolve-policy.js'
import { resolveVisible, type VisiblePath } from './visible-path.js'

/** Folders with programs, libraries and facts about the system that every command may read. Missing folders are skipped. */
const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu/store'],
  // The lists of installed packages.
  ...['/var/lib/dpkg', '/var/lib/rpm', '/var/lib/pacman'],
  // Facts about processors and memory that compilers and runtimes need. Each mount takes time, so the rest of /sys is left
  // out.
  '/sys/devices',
]

/**
 * Folders in the home folder that contain only programs. They become visible if a folder in PATH is inside one of them. Of
 * folders that also contain credentials (`.cargo`, `.local/share`, `.docker`), only the other parts are listed.
 */
const TOOL_FOLDERS: readonly { readonly path: string; readonly requiredPaths?: readonly string[] }[] = [
  ...['.nvm', '.nodenv', '.fnm', '.volta', '.local/share/fnm', '.local/share/pnpm', '.bun', '.deno/bin'],
  ...['.pyenv', '.local/share/uv', '.local/share/pipx', 'miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'],
  ...['.rbenv', '.rvm', '.goenv', '.jenv', '.sdkman', '.asdf', '.local/share/mise', '.local/share/rtx', '.ghcup'],
  ...['.juliaup', '.dotnet', '.linuxbrew', '.nix-profile', '.local/state/nix', '.wasmtime', '.fzf'],
]
  .map((path): { path: string; requiredPaths?: readonly string[] } => ({ path }))
  .concat(
    { path: '.cargo/bin', requiredPaths: ['.rustup/toolchains', '.rustup/settings.toml'] },
    { path: '.local/bin', requiredPaths: ['.local/share/uv', '.local/share/pipx', '.local/share/mise/installs'] },
  )

/** Folders next to `bin` from which its programs load code. */
const LIBRARY_FOLDERS = ['lib', 'lib64', 'libexec']

export interface Toolchain {
  readonly visiblePaths: readonly VisiblePath[]
  /** Entries of `/etc` that not everyone may read. Root could read all of them. */
  readonly hiddenMounts: readonly Mount[]
}

/** Finds the programs and libraries that commands need. Called once for each session. */
export function findToolchain({ searchPath, home }: { searchPath: string; home: string }): Toolchain {
  const entries = [...new Set(searchPath.split(':'))].filter((path) => isAbsolute(path) && !isPathInside(home, path))
  const folders = new Set([...SYSTEM_FOLDERS, ...entries.flatMap((entry) => listProgramFolders(entry, home))])
  return {
    visiblePaths: selectOutermostPaths([...folders].flatMap((path) => resolveVisible(path) ?? [])),
    hiddenMounts: findPrivateEntries('/etc', MAX_DEPTH).flatMap(toHiddenMounts),
  }
}

/** Drops paths that are inside others, but keeps the links to them. */
function selectOutermostPaths(paths: readonly VisiblePath[]): readonly VisiblePath[] {
  const outermostPaths = new Set(selectOutermostFolders(paths.map(({ realPath }) => realPath)))
  return paths.filter(({ realPath, links }) => links.length > 0 || outermostPaths.delete(realPath))
}

function listProgramFolders(entry: string, home: string): readonly string[] {
  if (SYSTEM_FOLDERS.some((folder) => isPathInside(entry, folder))) return []
  const toolFolder = TOOL_FOLDERS.find(({ path }) => isPathInside(entry, join(home, path)))
  const homePaths =
    toolFolder === undefined
      ? []
      : [toolFolder.path, ...(toolFolder.requiredPaths ?? [])].map((path) => join(home, path))
  const prefix = dirname(entry)
  const isPrefix = basename(entry) === 'bin' && prefix !== home && prefix !== '/'
  return [entry, ...(isPrefix ? LIBRARY_FOLDERS.map((name) => join(prefix, name)) : []), ...homePaths]
}

const MAX_DEPTH = 6
const READABLE_BY_ALL_MODE = 0o004

/**
 * Returns entries that this user can read although not everyone may, such as `/etc/shadow` for root, or files of the user's
 * groups. Each entry needs a mount, so empty entries are left out.
 */
function findPrivateEntries(folder: string, depthLeft: number): readonly string[] {
  if (lookAt(folder) === undefined) return []
  return readEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) return []
    const { mode, size } = lstatSync(path)
    const isEmpty = entry.isDirectory() ? readEntries(path).length === 0 : size === 0
    if ((mode & READABLE_BY_ALL_MODE) === 0) return isEmpty ? [] : [path]
    return entry.isDirectory() && depthLeft > 1 ? findPrivateEntries(path, depthLeft - 1) : []
  })
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // The folder is not readable, so it is hidden already.
    return []
  }
}
