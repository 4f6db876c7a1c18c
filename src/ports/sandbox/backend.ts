import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confined } from '../shell/confinement.js'
import type { LookUpHost } from './network/domain-proxy.js'
import type { SandboxConfinement } from './sandbox-policy.js'

export interface SandboxOptions {
  readonly settings: SandboxSettings
  /** Called for every command, because folders can be added during a session. */
  readonly workingFolders: () => readonly string[]
  readonly home: string
  /** Haft's own files wherever they are, such as settings files named on the command line. */
  readonly ownFiles?: readonly string[]
  /** Files and folders that the permission rules deny reading. Called for every command, because rules can change. */
  readonly deniedReads?: (() => readonly string[]) | undefined
  readonly platform: string
  /** The processor architecture, as in `process.arch`. */
  readonly machine: string
  /** The PATH of Haft itself, not of commands. */
  readonly searchPath: string
  /** The parent of the folder for the sandbox's own files. */
  readonly temporaryFolder: string
  readonly lookUp?: LookUpHost
}

export interface BackendRequest {
  readonly confinement: SandboxConfinement
  readonly cwd: string
  /** Replaces the working folders. */
  readonly folders?: readonly string[] | undefined
  /** Everything outside the working folders that the command reads. If left out, it may read everything. */
  readonly reads?: readonly string[] | undefined
}

/** A sandbox implementation for one platform. */
export interface Backend {
  /** A description for the user. */
  readonly name: string
  confine(request: BackendRequest): Promise<Confined>
  close(): void
}

/** A backend that passed its probe, or the reason why there is none. */
export type Probed = { readonly backend: Backend } | { readonly reason: string }
