import type { DeniedReads } from '../../contract/host/denied-reads.js'
import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { JudgedPaths } from '../../contract/judged-paths.js'
import type { LookUpHost } from '../../system/reach-host.js'
import type { ConfinedLaunch } from '../shell/confinement.js'
import type { UserGitConfig } from './protect/git-control.js'
import type { SandboxConfinement } from './sandbox-policy.js'

export interface SandboxOptions {
  readonly settings: SandboxSettings
  /** Called for each command, because folders can be added during a session. */
  readonly workingFolders: () => readonly string[]
  readonly home: string
  /** Haft's own files wherever they are, such as settings files that the command line names. */
  readonly ownFiles?: readonly string[]
  /** Returns the files that permission rules hide. Called for each command, because rules can change. */
  readonly deniedReads?: (() => DeniedReads) | undefined
  readonly platform: string
  /** The processor architecture, as in `process.arch`. */
  readonly machine: string
  /** The PATH of Haft itself, not of commands. */
  readonly searchPath: string
  /** The parent of the private folder that the sandbox creates for its files. */
  readonly temporaryFolder: string
  /** The git settings that apply to every repository. Default: those of the home folder and of this machine. */
  readonly userGitConfig?: UserGitConfig | undefined
  readonly lookUp?: LookUpHost
}

export interface BackendRequest {
  readonly confinement: SandboxConfinement
  readonly cwd: string
  /** The working folders of this command, instead of those of the session. */
  readonly folders?: readonly string[] | undefined
  /** Everything outside the working folders that the command may read. If omitted, it may read everything. */
  readonly reads?: readonly string[] | undefined
  /** Paths that the command names and may read. */
  readonly namedReads?: readonly string[] | undefined
  readonly keepsTerminal?: boolean | undefined
  /** Where the reads led when permission was decided. */
  readonly judgedPaths?: JudgedPaths | undefined
}

/** A sandbox implementation for one platform. */
export interface Backend {
  /** The name of the sandbox, for the user. */
  readonly name: string
  confine(request: BackendRequest): Promise<ConfinedLaunch>
  close(): void
}

/** A backend that passed its probe, or why there is none. */
export type ProbeResult = { readonly backend: Backend } | { readonly reason: string }
