import { join } from 'node:path'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confinement } from '../../contract/ports/shell.js'
import { BARRED_AT_TOP, BARRED_IN_HOME } from './protect/protected-names.js'

export type SandboxConfinement = Exclude<Confinement, 'none'>

/** The paths that a command may read, may write, or may not access at all. Links in them have not been resolved. */
export interface SandboxPolicy {
  readonly confinement: SandboxConfinement
  /** Folders that are visible even inside hidden folders. */
  readonly workingFolders: readonly string[]
  readonly writableFolders: readonly string[]
  /** Paths that can be neither written nor created. */
  readonly barredPaths: readonly string[]
  /** Paths in the home folder that can be neither written nor created if the home folder is writable. */
  readonly barredInHome: readonly string[]
  readonly hiddenPaths: readonly string[]
  readonly home: string
}

export interface PolicyFolders {
  readonly workingFolders: readonly string[]
  readonly home: string
  /** Haft's own files wherever they are, such as settings files that the command line names. */
  readonly ownFiles: readonly string[]
}

/** Creates the policy for one confinement. A read-only command cannot write to the folders that the settings make writable. */
export function createSandboxPolicy(
  confinement: SandboxConfinement,
  settings: Pick<SandboxSettings, 'allowWrite' | 'denyWrite' | 'denyRead'>,
  { workingFolders, home, ownFiles }: PolicyFolders,
): SandboxPolicy {
  const commonFields = { confinement, workingFolders, hiddenPaths: settings.denyRead, home }
  if (confinement === 'read-only') return { ...commonFields, writableFolders: [], barredPaths: [], barredInHome: [] }
  const writableFolders = [...workingFolders, ...settings.allowWrite]
  const barredAtTop = writableFolders.flatMap((folder) => BARRED_AT_TOP.map((name) => join(folder, name)))
  return {
    ...commonFields,
    writableFolders,
    barredPaths: [...settings.denyWrite, ...ownFiles, ...barredAtTop],
    barredInHome: BARRED_IN_HOME.map((name) => join(home, name)),
  }
}
