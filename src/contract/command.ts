export type CommandLanguage = 'bash' | 'powershell'

/** A command that a call runs. */
export interface CommandLine {
  readonly text: string
  readonly language: CommandLanguage
}

/** The words of a command joined by single spaces. Text after `resolvedLength` is known only at run time. */
export interface CommandText {
  readonly text: string
  readonly resolvedLength: number
}

/** A simple command at any depth of a script: after `&&`, in a pipeline, a substitution or a `bash -c`. */
export interface SimpleCommand {
  /** The program and its arguments, without quotes. An expansion that is known only at run time is kept as written. */
  readonly words: readonly string[]
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

/** The program whose exit code is the exit code of the whole command. */
export interface ExitingProgram {
  /** Without its folder. */
  readonly name: string
  readonly args: readonly string[]
  /** Follows `cd … &&`: if `cd` fails, the exit code is that of `cd`. */
  readonly followsCd: boolean
}

/**
 * What a command would do, determined for each call without running it. The tool, the permission decision, the
 * schedule, the checkpoint and the shell port all use the same analysis.
 */
export interface CommandAnalysis extends CommandLine {
  /** The folder in which the command would start. */
  readonly cwd: string
  readonly commands: readonly SimpleCommand[]
  /** Something could not be parsed or resolved, so more commands may run than are listed. */
  readonly isUnresolved: boolean
  /** Changes nothing, makes no connection and runs no unknown program. */
  readonly isReadOnly: boolean
  /**
   * Read-only, except perhaps for programs that the git configuration of `cwd` names. In the read-only
   * sandbox, these programs cannot change files.
   */
  readonly fitsReadOnlySandbox: boolean
  /** May run concurrently: it is read-only and does not change the working folder. */
  readonly isConcurrencySafe: boolean
  readonly resources: {
    /** Relative to `cwd`, or absolute. */
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    readonly network: boolean
    /** More files may be read or written than are listed. */
    readonly isUnknown: boolean
    /** A path starts in the home folder, and the environment of the shell may name another one. */
    readonly dependsOnHome: boolean
  }
  /** Folders whose git configuration decides what the command does. */
  readonly repositories: readonly string[]
  /** What the command may do, worded for the permission question: `deletes files`. */
  readonly risks: readonly string[]
  /** The words of a command that consists only of words; undefined if a shell would do more than remove quotes. */
  readonly plainWords: readonly string[] | undefined
  /** Undefined if the exit code may come from several programs, or not from a program at all. */
  readonly exitStatusOf: ExitingProgram | undefined
  /** Starts with `sleep`. A command that only waits gains nothing from continuing in the background. */
  readonly startsByWaiting: boolean
  /** Reports processes, sockets or devices, which differ inside a sandbox. */
  readonly readsMachineState: boolean
  /** May replace the shell with another program (`exec`), or replace its exit handler (`trap`). */
  readonly mayReplaceShell: boolean
}
