import { join } from 'node:path'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confinement } from '../../contract/ports/shell.js'
import { BARRED_AT_TOP, BARRED_IN_HOME, PROTECTED_INSIDE, PROTECTED_NAMES } from './protect/find-protected.js'

export type SandboxConfinement = Exclude<Confinement, 'none'>

/** The paths that a command may read, write or not access at all. Links in them are not resolved yet. */
export interface SandboxPolicy {
  readonly confinement: SandboxConfinement
  /** Visible even inside hidden folders. */
  readonly workingFolders: readonly string[]
  readonly writable: readonly string[]
  /** Read-only if they exist, even inside a writable folder. */
  readonly guarded: readonly string[]
  /** Can be neither written nor created. */
  readonly barred: readonly string[]
  readonly hidden: readonly string[]
}

export interface PolicyFolders {
  readonly workingFolders: readonly string[]
  readonly home: string
  /** Haft's own files wherever they are, such as settings files named on the command line. */
  readonly ownFiles: readonly string[]
}

/** The policy for one confinement. A read-only one ignores the folders that the settings make writable. */
export function createSandboxPolicy(
  confinement: SandboxConfinement,
  settings: Pick<SandboxSettings, 'allowWrite' | 'denyWrite' | 'denyRead'>,
  { workingFolders, home, ownFiles }: PolicyFolders,
): SandboxPolicy {
  const common = { confinement, workingFolders, hidden: settings.denyRead }
  if (confinement === 'read-only') return { ...common, writable: [], guarded: [], barred: [] }
  const writable = [...workingFolders, ...settings.allowWrite]
  const barredAtTop = writable.flatMap((folder) => BARRED_AT_TOP.map((name) => join(folder, name)))
  const barredInHome = BARRED_IN_HOME.map((name) => join(home, name))
  return {
    ...common,
    writable,
    guarded: listGuardedInHome(home),
    barred: [...settings.denyWrite, ...ownFiles, ...barredAtTop, ...barredInHome],
  }
}

/** A fixed list, because searching the whole home folder before every command would be too slow. */
function listGuardedInHome(home: string): readonly string[] {
  const inside = [...PROTECTED_INSIDE].flatMap(([folder, names]) => names.map((name) => join(folder, name)))
  return [...PROTECTED_NAMES, ...inside].map((name) => join(home, name))
}
