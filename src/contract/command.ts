export type CommandLanguage = 'bash' | 'powershell'

/** A command that a call runs. */
export interface CommandLine {
  readonly text: string
  readonly language: CommandLanguage
}

/** A word of a command after quote removal. Text after `knownLength` is known only at run time. */
export interface CommandWord {
  readonly text: string
  readonly knownLength: number
  /**
   * What the word expands to: one word; any number of words that all start with the known prefix (a glob); or any number
   * of words, only the first of them with that prefix (an unquoted expansion).
   */
  readonly spread: 'one' | 'prefixed' | 'any'
}

/** A spelling of a command that an allow rule may match. */
export interface WrittenCommand {
  readonly words: readonly CommandWord[]
  /**
   * Whether only a rule that spells out the whole command covers it, because the command runs another one, which a prefix would
   * not name.
   */
  readonly needsExactRule?: true
}

/** What a command may do beyond what the tables of programs say. */
export interface PossibleEffects {
  /**
   * Whether the command may run any program and open any file. Left out if it is an ordinary command of a project in a plain
   * form, or if a table says that it runs no other program.
   */
  readonly runsAnything?: true | undefined
  /** Whether the command may open any file, even if it runs no other program. */
  readonly usesAnyFile?: true | undefined
  /** For an ordinary command: the indexes in `argv` of the words that may name a program. */
  readonly programsAt?: readonly number[] | undefined
  /** For an ordinary command: the commands that it is known to start, such as `git push` by a release tool. */
  readonly startedCommands?: readonly (readonly string[])[] | undefined
  /** For an ordinary command: values of variables, which may name a program. */
  readonly settingValues?: readonly string[] | undefined
  /** For an ordinary command: the files that it runs or loads as code, which may be links to other programs. */
  readonly programPaths?: readonly string[] | undefined
  /** For an ordinary command: names of the files to which `programPaths` lead. */
  readonly linkedNames?: readonly string[] | undefined
  /**
   * What happens to the files in a folder that the words name: `whole` means that all of them may be used, `rewritten` that
   * sources may be changed. Left out if an ordinary command only checks, tests or builds them.
   */
  readonly folders?: 'rewritten' | 'whole' | undefined
  /** Files that the arguments, option values or code may name. A trailing slash means any file in the folder. */
  readonly paths: readonly string[]
  /** Files that a part of an argument may name, such as `x` in `a:x`, which may also be on another machine. */
  readonly partPaths: readonly string[]
  /** Whether the files are not written. */
  readonly onlyReads?: true | undefined
  /** Whether the command may write files that a later command may run. */
  readonly changesFiles?: true | undefined
  /** Whether the command runs no files of the project. */
  readonly runsNoFiles?: true | undefined
  /** Whether an argument whose end is unknown may name a hidden file, such as `~/.bash*`. */
  readonly mayNameHiddenFile?: true | undefined
}

/** Files that a command opens by names that are known only at run time. A symbolic link among them is followed. */
export interface FoundFiles {
  /** Relative to `cwd`, or absolute. */
  readonly folder: string
  /** The text with which the names of the entries start; `suffix` is the text with which they end. */
  readonly prefix: string
  readonly suffix: string
  /** Whether only folders are meant, as if the pattern ended with a slash. */
  readonly areFolders: boolean
  /** Whether the entries of all folders below are included. */
  readonly isDeep: boolean
  /** Whether symbolic links are not among the files. */
  readonly excludesLinks: boolean
  /** Whether the names are split at blanks, so that one with a blank, a quote or a pattern could become any path. */
  readonly mustBePlain: boolean
  /** Whether the names are words of their own, so that one that starts with a dash would be an option. */
  readonly mustBeOperands: boolean
  /** Whether none of the files may be an archive of object files, which may refer to files in other folders. */
  readonly excludesArchives?: true
  /** Whether only the ignore files are meant that decide which of the files are skipped, including those in parent folders. */
  readonly areIgnoreFiles?: true
  /** Whether the command reads nothing else in the folder. */
  readonly isOnlyUse?: true
}

/** A pattern that the shell replaces by the names of files, as in `src/*.ts`. */
export interface FileGlob {
  /** Relative to `cwd`, or absolute, with a trailing slash. */
  readonly folder: string
  /** The remaining part of the word, such as `*.ts`. Characters that were quoted may look like a pattern. */
  readonly pattern: string
}

/** A simple command at any depth of a script: after `&&`, in a pipeline, a substitution or a `bash -c`. */
export interface SimpleCommand {
  /** The program and its arguments, without quotes. An expansion that is known only at run time is kept as written. */
  readonly words: readonly string[]
  /** For deny and ask rules: the program and its arguments, without redirections, assignments and wrappers. */
  readonly argv: readonly CommandWord[]
  /** The index of the subcommand in the arguments; `none` if the program has no subcommands. */
  readonly subcommandAt?: number | 'none' | undefined
  /** For allow rules: the command as written. Empty if no rule with content may allow it, for example with a substitution. */
  readonly asWritten: readonly WrittenCommand[]
  readonly isReadOnly: boolean
  /**
   * The roots of the repositories that a git command uses, if none of them has settings, links or parts that could change what
   * a command does. Left out if that is not certain.
   */
  readonly ordinaryRepositories?: readonly string[] | undefined
  /** Files that the arguments name, without redirections. A trailing slash means everything below. */
  readonly reads: readonly string[]
  /** Whether the files in a folder that `reads` names are read, too. */
  readonly readsFolders?: true | undefined
  /** The files that the command opens by pattern in folders of `reads`. Left out if there are none. */
  readonly found?: readonly FoundFiles[] | undefined
  readonly writes: readonly string[]
  /** The patterns among the arguments. */
  readonly globs?: readonly FileGlob[] | undefined
  /** The patterns that select what is written. Their folders are in `writes`, and nothing else in these folders is written. */
  readonly writtenGlobs?: readonly FileGlob[] | undefined
  /** Files that redirections write. */
  readonly redirects: readonly string[]
  /** Whether permission may rely on `reads`, `writes` and `redirects` being complete. */
  readonly areEffectsKnown: boolean
  /** Whether the name of a file that is read or written is known only at run time. */
  readonly hasUnknownPath?: true | undefined
  /** Whether the name of a file that is written is known only at run time. */
  readonly writesUnknownFile?: true | undefined
  /** Whether the command starts in another folder than the script, or in one that is known only at run time. */
  readonly isElsewhere?: true | undefined
  /** Whether the command deletes the files that it writes. */
  readonly deletesFiles?: true | undefined
  /** What the command may do, worded for the permission question: `deletes files`. */
  readonly risks?: readonly string[]
  /** Further effects that are possible because no table describes the command completely. Left out if a table does. */
  readonly possible?: PossibleEffects | undefined
  readonly network: boolean
}

/** The program whose exit code is the exit code of the whole command. */
export interface ExitingProgram {
  /** The name of the program, without its folder. */
  readonly name: string
  readonly args: readonly string[]
  /** Whether the program follows `cd … &&`. If `cd` fails, the exit code is that of `cd`. */
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
  /** Whether something could not be parsed or resolved, so that more commands may run than are listed. */
  readonly isUnresolved: boolean
  /** Whether a script could not be parsed, so that it is unknown what it writes. */
  readonly isUnparsed: boolean
  /** Whether a limit of the analysis is exceeded by the whole script, which is then unparsed, or by one command. */
  readonly isTooLarge: boolean
  /** Whether the command runs text as a script that is known only at run time, such as `eval "$x"`. */
  readonly runsUnknownText: boolean
  /** Whether the command changes nothing, makes no connection and runs no unknown program. */
  readonly isReadOnly: boolean
  /**
   * Whether the command is read-only, except perhaps for programs that the git configuration of `cwd` names. In the read-only
   * sandbox, these programs cannot change files.
   */
  readonly fitsReadOnlySandbox: boolean
  /** Whether the command may run concurrently, because it is read-only and does not change the working folder. */
  readonly isConcurrencySafe: boolean
  /** Whether the command may leave the shell in another folder. */
  readonly changesFolder: boolean
  readonly resources: {
    /** Relative to `cwd`, or absolute. */
    readonly reads: readonly string[]
    readonly writes: readonly string[]
    readonly network: boolean
    /** Whether more files may be read or written than are listed. */
    readonly isUnknown: boolean
    /** Whether a path is below the home folder. The environment of the shell may set another home folder. */
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
  /** Whether the command starts with `sleep`. A command that only waits gains nothing from continuing in the background. */
  readonly startsByWaiting: boolean
  /** Whether the command reports processes, sockets or devices, which differ inside a sandbox. */
  readonly readsMachineState: boolean
  /** Whether the command may replace the shell with another program (`exec`), or replace its exit handler (`trap`). */
  readonly mayReplaceShell: boolean
}
