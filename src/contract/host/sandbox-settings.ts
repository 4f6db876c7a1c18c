/** The merged settings of the sandbox for shell commands. Paths are absolute. */
export interface SandboxSettings {
  /** Whether to sandbox every command (true), none (false), or only commands that run without approval (left out). */
  readonly enabled?: boolean
  /** Whether every command must be sandboxed, and does not run if that is impossible. */
  readonly isRequired: boolean
  /** Whether a command may run outside the sandbox if the user approves. */
  readonly allowsUnsandboxed: boolean
  readonly allowsUnixSockets: boolean
  readonly allowWrite: readonly string[]
  readonly denyWrite: readonly string[]
  /** Paths that commands running without approval may read in addition to the working directories. */
  readonly allowRead: readonly string[]
  readonly denyRead: readonly string[]
  readonly allowedDomains: readonly string[]
}

/** Without settings: commands that run without approval are sandboxed if possible, all others are not. */
export const DEFAULT_SANDBOX_SETTINGS: SandboxSettings = Object.freeze({
  isRequired: false,
  allowsUnsandboxed: true,
  allowsUnixSockets: false,
  allowWrite: [],
  denyWrite: [],
  allowRead: [],
  denyRead: [],
  allowedDomains: [],
})
