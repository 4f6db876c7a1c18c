export type OperandKind =
  | 'any'
  | 'files'
  | 'none'
  | 'urls'
  | 'git'
  | 'targets'
  | 'queries'
  | 'numbers'
  | 'assignments'
  | 'script'
  | 'scriptName'
  | 'remoteCommand'
  | 'arguments'
  | 'command'
  | 'commands'

/** How a program may be used as an ordinary command of a project. Everything that is not listed makes a command unusual. */
export interface OrdinaryUse {
  /** Options without a value, separated by blanks. They may have a plain value after `=`. */
  readonly flags?: string
  /** Options with a plain value: in the next word, after `=`, or after the letter. */
  readonly values?: string
  /** Options whose value is a module or file of the project that is loaded. */
  readonly modules?: string
  /** Options whose value is a file or folder with code or settings, which is judged like a script of the project. */
  readonly configs?: string
  /** Options whose value is free text that the program neither runs nor opens. */
  readonly texts?: string
  /** Options whose value is free text, or `@` and the name of a file that the program reads. */
  readonly dataTexts?: string
  /** Options with which the program changes the sources in the folders that it is given. */
  readonly rewrites?: string
  /** Options whose plain value is a file or folder that is written. */
  readonly outputs?: string
  /** Options with which the program writes files that another command may run, whatever their value is. */
  readonly downloads?: string
  /**
   * The kind of the other words: any plain words (the default), files of the project, none, URLs, names for git, targets of
   * make, queries of a database, numbers, variables, a script of the project and its arguments, a name and the arguments for the
   * named script (`npm run NAME`), a host and a command for the shell there (`ssh HOST`), arguments of a script of the project, a command, or several commands.
   */
  readonly operands?: OperandKind
  readonly maxOperands?: number
  /** Commands that the program starts by itself, separated by commas: `git push, npm publish`. */
  readonly starts?: string
  /** Files in the working folder that the program writes although no word names them, separated by blanks. */
  readonly files?: string
  /** Options without which the program prints the files in the folders that it is given. */
  readonly printsUnless?: string
  /** The option before a command: `-m` of Python. */
  readonly commandOption?: string
  /** Whether the first word may be letters of options without a dash, as in `tar czf`. */
  readonly mayOmitDash?: true
  /** Whether the operands are passed to a program of the project, which may run them as a command. */
  readonly passesOperands?: true
  /** Whether all words after the name of a script are its arguments, including options. */
  readonly passesOptions?: true
  /** Whether long options have one dash, as in `-run`, so that letters cannot be clustered. */
  readonly hasSingleDashOptions?: true
  /**
   * What the program does with a folder that it is given: it may rewrite the sources in it, or use everything in it. Undefined
   * if it only checks, tests or builds the files.
   */
  readonly folders?: 'rewritten' | 'whole'
  /** Whether the program uses the folder in which it runs, even if no word names it. */
  readonly usesWorkingFolder?: true
  /** Whether the program uses the whole repository or package, even if it runs in a folder of it. */
  readonly usesWholeProject?: true
  /** Whether the program, when it changes sources, may change any file in the folder in which it runs, whatever its operands are. */
  readonly rewritesWorkingFolder?: true
  /** Whether the program may write files beside those that it is given, as `tsc a.ts` writes `a.js`. */
  readonly writesBeside?: true
  /** Whether the files that the words name are only read. */
  readonly onlyReads?: true
  /** Whether the program writes files that another command may run. */
  readonly changesFiles?: true
  /** Whether the program treats its input as data, or passes it on to a script. */
  readonly readsInput?: true
  /** Whether the program runs neither files of the project nor programs that these configure, except git hooks. */
  readonly runsNoFiles?: true
}

/** A program with its uses by subcommand, such as `install` or `compose up`. The key `''` means no subcommand. */
export interface OrdinaryProgram {
  /** Options before the subcommand. */
  readonly options?: Pick<OrdinaryUse, 'flags' | 'values' | 'configs'>
  readonly subcommands: Readonly<Record<string, OrdinaryUse>>
}

/** Returns an entry for each of the names, which are separated by blanks. */
export function createEntries<T>(names: string, use: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, use]))
}
