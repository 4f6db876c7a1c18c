import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isPathInside } from '../../../shared/path-containment.js'
import { lookAt } from '../look-at.js'

/** Programs, libraries and facts of the system, which every command may read. Missing ones are skipped. */
const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/gnu/store'],
  // Which packages are installed.
  ...['/var/lib/dpkg', '/var/lib/apt', '/var/cache/apt', '/var/lib/rpm', '/var/lib/pacman', '/var/cache/man'],
  // Processors and memory, which compilers and runtimes ask for. The rest of /sys is for drivers.
  ...['/sys/devices', '/sys/class', '/sys/block', '/sys/bus', '/sys/fs/cgroup'],
]

/**
 * Folders in the home folder that hold only programs. They become visible if a folder in PATH is inside one of them.
 * Folders that hold credentials as well (`.cargo`, `.local/share`, `.docker`) are listed by the parts that do not.
 */
const TOOL_FOLDERS: readonly { readonly path: string; readonly needs?: readonly string[] }[] = [
  ...['.nvm', '.nodenv', '.fnm', '.volta', '.local/share/fnm', '.local/share/pnpm', '.bun', '.deno/bin'],
  ...['.pyenv', '.local/share/uv', '.local/share/pipx', 'miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'],
  ...['.rbenv', '.rvm', '.goenv', '.jenv', '.sdkman', '.asdf', '.local/share/mise', '.local/share/rtx', '.ghcup'],
  ...['.juliaup', '.dotnet', '.linuxbrew', '.nix-profile', '.local/state/nix', '.wasmtime', '.fzf'],
]
  .map((path): { path: string; needs?: readonly string[] } => ({ path }))
  .concat(
    { path: '.cargo/bin', needs: ['.rustup/toolchains', '.rustup/settings.toml'] },
    { path: '.local/bin', needs: ['.local/share/uv', '.local/share/pipx', '.local/share/mise/installs'] },
  )

/** The folders beside `bin` that programs in it load their own code from. */
const BESIDE_PROGRAMS = ['lib', 'lib64', 'libexec']

export interface Toolchain {
  readonly visible: readonly string[]
  /** Files and folders in `/etc` that are not for everyone. Root could read all of them. */
  readonly hidden: readonly string[]
}

/** Finds what commands need to run. It is looked up once for a session. */
export function findToolchain({ searchPath, home }: { searchPath: string; home: string }): Toolchain {
  const entries = [...new Set(searchPath.split(':'))].filter((path) => isAbsolute(path) && !isPathInside(home, path))
  return {
    visible: [...new Set([...SYSTEM_FOLDERS, ...entries.flatMap((entry) => programFolders(entry, home))])].filter(
      (path) => lookAt(path) !== undefined,
    ),
    hidden: findPrivateEntries('/etc', MAX_DEPTH),
  }
}

function programFolders(entry: string, home: string): readonly string[] {
  if (SYSTEM_FOLDERS.some((folder) => isPathInside(entry, folder))) return []
  const known = TOOL_FOLDERS.find(({ path }) => isPathInside(entry, join(home, path)))
  const inHome = known === undefined ? [] : [known.path, ...(known.needs ?? [])].map((path) => join(home, path))
  const prefix = dirname(entry)
  const isPrefix = basename(entry) === 'bin' && prefix !== home && prefix !== '/'
  return [entry, ...(isPrefix ? BESIDE_PROGRAMS.map((name) => join(prefix, name)) : []), ...inHome]
}

const MAX_DEPTH = 3
const READABLE_BY_ALL = 0o004

/** Entries that not everyone may read, but this user can: `/etc/shadow` for root, or files of its groups. */
function findPrivateEntries(folder: string, depthLeft: number): readonly string[] {
  if (lookAt(folder) === undefined) return []
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink()) return []
    if ((lstatSync(path).mode & READABLE_BY_ALL) === 0) return [path]
    return entry.isDirectory() && depthLeft > 1 ? findPrivateEntries(path, depthLeft - 1) : []
  })
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Not readable, and so hidden already.
    return []
  }
}
