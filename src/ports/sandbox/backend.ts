import type { SandboxSettings } from '../../contract/host/sandbox-settings.js'
import type { Confined } from '../shell/confinement.js'
import type { LookUpHost } from './network/domain-proxy.js'
import type { HeldConfinement } from './sandbox-policy.js'

export interface SandboxOptions {
  readonly settings: SandboxSettings
  /** Asked for every command, because a session can add folders. */
  readonly workingFolders: () => readonly string[]
  readonly home: string
  /** Haft's own files wherever they lie, such as settings that were named on the command line. */
  readonly ownFiles?: readonly string[]
  readonly platform: string
  /** The kind of processor, as Node names it. */
  readonly machine: string
  /** The search path of Haft itself, not that of commands. */
  readonly searchPath: string
  /** Where the sandbox puts a folder for its own files. */
  readonly temporaryFolder: string
  readonly lookUp?: LookUpHost
}

export interface HoldRequest {
  readonly confinement: HeldConfinement
  readonly cwd: string
  /** In place of the working folders. */
  readonly folders?: readonly string[] | undefined
}

/** What holds commands on one kind of machine. */
export interface Backend {
  /** What it is, for a person. */
  readonly name: string
  hold(request: HoldRequest): Promise<Confined>
  close(): void
}

/** A backend that was seen to work, or why there is none. */
export type Probed = { readonly backend: Backend } | { readonly reason: string }
