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

/** Where nothing is said: commands that nobody was asked about are held where they can be, and no other. */
export const NO_SANDBOX_SETTINGS: SandboxSettings = Object.freeze({
  isRequired: false,
  allowsUnsandboxed: true,
  allowsUnixSockets: false,
  allowWrite: [],
  denyWrite: [],
  denyRead: [],
  allowedDomains: [],
})
