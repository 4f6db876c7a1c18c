import { join } from 'node:path'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confinement } from '../../contract/ports/shell.js'
import { BARRED_AT_TOP, BARRED_IN_HOME, PROTECTED_INSIDE, PROTECTED_NAMES } from './protect/find-protected.js'

export type HeldConfinement = Exclude<Confinement, 'none'>

/** What a command may reach, by the names that people gave; nothing is looked up yet. */
export interface SandboxPolicy {
  readonly confinement: HeldConfinement
  /** Stay visible whatever lies around them is hidden. */
  readonly workingFolders: readonly string[]
  readonly writable: readonly string[]
  /** What exists of this is not written, though it may lie in a writable folder. */
  readonly kept: readonly string[]
  /** Neither written nor made. */
  readonly barred: readonly string[]
  readonly hidden: readonly string[]
}

export interface PolicyFolders {
  readonly workingFolders: readonly string[]
  readonly home: string
  /** Haft's own files wherever they lie, such as settings that were named on the command line. */
  readonly ownFiles: readonly string[]
}

/** The policy for one way of holding a command. */
export function sandboxPolicy(
  confinement: HeldConfinement,
  settings: Pick<SandboxSettings, 'allowWrite' | 'denyWrite' | 'denyRead'>,
  { workingFolders, home, ownFiles }: PolicyFolders,
): SandboxPolicy {
  const common = { confinement, workingFolders, hidden: settings.denyRead }
  if (confinement === 'read-only') return { ...common, writable: [], kept: [], barred: [] }
  const writable = [...workingFolders, ...settings.allowWrite]
  const atTop = writable.flatMap((folder) => BARRED_AT_TOP.map((name) => join(folder, name)))
  const inHome = BARRED_IN_HOME.map((name) => join(home, name))
  return {
    ...common,
    writable,
    kept: keptInHome(home),
    barred: [...settings.denyWrite, ...ownFiles, ...atTop, ...inHome],
  }
}

/** Named one by one, because a search of home would stop before it found them all. */
function keptInHome(home: string): readonly string[] {
  const inside = [...PROTECTED_INSIDE].flatMap(([folder, names]) => names.map((name) => join(folder, name)))
  return [...PROTECTED_NAMES, ...inside].map((name) => join(home, name))
}
