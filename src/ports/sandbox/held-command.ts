import type { Mount } from './mounts.js'
import type { HostRefusal } from './refusal-log.js'
import type { HeldConfinement } from './sandbox-policy.js'

/** How a command was held, as far as its failure can have to do with it. */
export interface HeldCommand {
  readonly confinement: HeldConfinement
  readonly cwd: string
  readonly writable: readonly string[]
  readonly mounts: readonly Mount[]
  readonly hasProxy: boolean
  /** Why domains cannot be reached although the settings allow some. */
  readonly proxyFault?: string
  readonly allowsUnixSockets: boolean
  readonly allowsUnsandboxed: boolean
  /** What the proxy refused while it ran. */
  readonly hosts: readonly HostRefusal[]
}

/** What the machine would have allowed without a sandbox. */
export interface MachineFacts {
  canWrite(path: string): boolean
  /** Only root, by its powers, could have opened it. */
  needsPowers(path: string): boolean
  isListening(port: number): boolean
}
