/** The words of a command joined by single spaces. Text after `resolvedLength` is known only at run time. */
export interface CommandText {
  readonly text: string
  readonly resolvedLength: number
}

/** A simple command at any depth of a script: after `&&`, in a pipeline, a substitution or a `bash -c`. */
export interface SimpleCommand {
  /** For deny and ask rules: all spellings without redirections, assignments, wrappers, the program's folder and global options. */
  readonly canonical: readonly CommandText[]
  /** For allow rules: the command as written. Empty if no rule with content may allow it, for example with a substitution. */
  readonly asWritten: readonly CommandText[]
  readonly isReadOnly: boolean
  /** Files that the arguments name, without redirections. A trailing slash means everything below. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Files that redirections write. */
  readonly redirects: readonly string[]
  /** Whether permission may rely on `reads`, `writes` and `redirects` being complete. */
  readonly areEffectsKnown: boolean
  readonly network: boolean
}

export interface ShellFacts {
  readonly commands: readonly SimpleCommand[]
  /** Something could not be parsed or resolved, so more commands may run than are listed. */
  readonly isUnresolved: boolean
  /** What the script may do, worded for the permission question: `deletes files`. */
  readonly risks?: readonly string[]
}

/** A simple command with the details that only the analysis uses. */
export interface AnalysedCommand extends SimpleCommand {
  /** Whether `reads`, `writes` and `redirects` are complete, even if permission must not rely on it. */
  readonly isComplete: boolean
  /** Worded for the permission question. */
  readonly risks: readonly string[]
  /** Folders whose git configuration decides what the command does. */
  readonly repositories: readonly string[]
}

/** A part of a script that is not a command itself, such as the redirection of a group. */
export const NO_COMMAND: AnalysedCommand = {
  canonical: [],
  asWritten: [],
  isReadOnly: true,
  reads: [],
  writes: [],
  redirects: [],
  areEffectsKnown: true,
  network: false,
  isComplete: true,
  risks: [],
  repositories: [],
}
