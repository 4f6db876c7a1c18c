/** Words of a command joined by one space. What stands after `resolvedLength` is not known before it runs. */
export interface CommandText {
  readonly text: string
  readonly resolvedLength: number
}

/** One simple command at any depth of the line: behind `&&`, in a pipe, a substitution, a `bash -c`. */
export interface SimpleCommand {
  /** For deny and ask rules: every spelling without redirections, assignments, wrappers, folder and global options. */
  readonly canonical: readonly CommandText[]
  /** For allow rules: as written. Empty where no rule with content may cover it, as with a substitution in it. */
  readonly asWritten: readonly CommandText[]
  readonly isReadOnly: boolean
  /** Files that it plainly reads or writes; redirections are apart. A slash at the end means all that lies below. */
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** Files that its redirections write. */
  readonly redirects: readonly string[]
  /** Whether `reads`, `writes` and `redirects` are all that it does to files. */
  readonly areEffectsKnown: boolean
  readonly network: boolean
}

export interface ShellFacts {
  readonly commands: readonly SimpleCommand[]
  /** Something could not be parsed or resolved: more may run than is listed. */
  readonly isUnresolved: boolean
  /** What the line may do, in words for the person who is asked: `deletes files`. */
  readonly risks?: readonly string[]
}

/** A simple command with what else is known of it. */
export interface AnalysedCommand extends SimpleCommand {
  /** Its reads, writes and redirects are complete, also where permission must not be built on that. */
  readonly isComplete: boolean
  /** In words for the person who is asked. */
  readonly risks: readonly string[]
  /** Folders of git repositories whose configuration decides what it does. */
  readonly repositories: readonly string[]
}

/** A part of a line that is no command of its own, as the redirection of a group. */
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
