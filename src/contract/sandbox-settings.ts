/** What the settings of all sources together say about holding shell commands. Paths are absolute. */
export interface SandboxSettings {
  /** True: every command is held; false: none is; left out: only those that nobody was asked about. */
  readonly enabled?: boolean
  /** Every command is held, and where nothing can hold it, it does not run. */
  readonly isRequired: boolean
  /** Whether a command may leave the sandbox with a person's permission. */
  readonly allowsUnsandboxed: boolean
  readonly allowsUnixSockets: boolean
  readonly allowWrite: readonly string[]
  readonly denyWrite: readonly string[]
  readonly denyRead: readonly string[]
  readonly allowedDomains: readonly string[]
}
