/**
 * The types of the tables in `families/`. A table lists programs and options whose effects are known. A program, option or
 * extra operand that is not listed makes the effects of a command unknown.
 */

/** How the program uses an operand or the value of an option. */
export type Role =
  /** Data that affects only the output and names no file. */
  | 'text'
  /** A file that is read, or a folder whose entries are listed. `-` is standard input. */
  | 'reads'
  /** A file that is read under this name or with the suffix of a compressed file: `zcat a` may read `a.gz`. */
  | 'compressed'
  /** A zip archive, whose suffix may be missing. Not a name with wildcards, because `unzip` would expand them itself. */
  | 'zip'
  /** A file with a key. `ssh-keygen` also reads the file with the suffix `.pub`. */
  | 'key'
  /** A file that is read, but not `-`, which would mean a list of files in the input. */
  | 'named'
  /** An XML file. Not a name with a colon or a percent sign, because the program may read it as a URL. */
  | 'document'
  /** A compressed file in a pager. A leading `+` would make it a command, except for a start position. */
  | 'paged'
  /** A file, or a folder whose files are read, also those that symbolic links in it name. */
  | 'followed'
  /** A file or folder that is read recursively. */
  | 'tree'
  /** Like `tree`, but the program also reads and may print the ignore files in the folder and above it. */
  | 'searched'
  /** A file that git reads after the file `.gitattributes` in each folder of its path, even if git ignores that folder. */
  | 'attributed'
  /**
   * A file that is read. A leading `+` or `@` would make it a command (`less +!ls`) or an options file (`nm @file`), except for
   * a start position (`+5`, `+G`).
   */
  | 'viewed'
  /** Like `viewed`, but not an archive of object files, which may refer to files in other folders. */
  | 'object'
  /** A file that is read, but not a gawk network name such as `/inet/tcp/0/host/80`. */
  | 'opened'
  /** A file, or an address without a host name. A host name would need a DNS lookup. */
  | 'local'
  /** A file or folder that is created, changed or replaced, or whose attributes change. */
  | 'writes'
  /** A folder in which files are created with the names of the operands: `cp -t folder`. */
  | 'into'
  /** The start of the names of files that are written. */
  | 'prefix'
  /** A file that receives content. For the devices in `SINK_PATHS` that changes nothing. */
  | 'output'
  /** A file or folder that is deleted recursively. */
  | 'deletes'
  /** A file or folder that gets another name, under which everything in it can be read. */
  | 'moves'
  /** Text that must start with `+`, as in `date +%s`. */
  | 'format'
  /** Text without a slash, such as the name of a manual page. */
  | 'name'
  /** A pattern for a shell script that calls `grep`, without characters that the script may interpret. */
  | 'pattern'
  /** A common terminal. The description of any other one may be a file in the home folder. */
  | 'terminal'
  /** A selection of processes for `ps`, without the letter `e` that shows environments. */
  | 'processes'
  /** Columns for `ps`, without the one that shows environments. */
  | 'columns'
  /** A variable and its value for `awk -v`. */
  | 'definition'
  /** The name of a variable or function, without a subscript or value. */
  | 'identifier'
  /** A mode of the shell, such as `pipefail`, that makes the shell only stricter or more verbose, or the opposite: `+x`. */
  | 'mode'
  /** The number of a port: `:80`. */
  | 'port'
  /** The name of a setting of git in a section that contains no credentials. */
  | 'setting'
  /** The name of a character set. With a slash inside, `iconv` would read it from a file. */
  | 'charset'
  /** The name of a kernel parameter. With `=` it would be written. */
  | 'parameter'
  /** A file whose name contains no colon. With a colon, `tar` would run a program to reach another host. */
  | 'archive'
  /** The folder in which the program runs, as with `git -C`: a plain path without `..`, which it would resolve after links. */
  | 'folder'
  /** Always refused: a folder in which the inner command runs, as with `env -C`. */
  | 'elsewhere'
  /** Always refused: the option has effects and takes a value. */
  | 'refused'
  /** Always refused, and other programs may run, as with `git -c`. */
  | 'runs'
  /** An integer, which may be signed. */
  | 'number'
  /** A script in a language with a checker in `scripts/`. */
  | 'sed'
  | 'awk'
  | 'jq'
  | 'yq'
  /** An XPath expression that calls only functions which read the document itself. */
  | 'xpath'
  /** A shell script, which is analysed too. */
  | 'shell'
  /** The name of a variable that is removed from the environment. */
  | 'variable'
  /** Any number of `NAME=value` words. */
  | 'assignments'
  /** This and all following words are another command, which is analysed too. */
  | 'command'

/** A role for one operand, or, with dots, for this operand and all that follow. */
export type OperandRole = Role | `${Role}...`

/**
 * Names of options, separated by spaces and grouped by the kind of their value. `-#` means a number, as in `head -5`.
 * Short options may be clustered (`-la`), and their values may be attached (`-n5`).
 */
export interface OptionGroups {
  /** Options without a value. */
  readonly flags?: string
  /** Options whose value is plain text: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
  readonly values?: string
  /** Options whose value is plain text and must be attached: `-U3`, `--color=auto`. */
  readonly attached?: string
  /** Options whose value must be attached and has a role other than `text`. */
  readonly attachedRoles?: Readonly<Partial<Record<Role, string>>>
  /** Options whose value has a role other than `text`. */
  readonly roles?: Readonly<Partial<Record<Role, string>>>
  /** Options that take a name and then a value with a role: `jq --rawfile NAME FILE`. */
  readonly pairs?: Readonly<Partial<Record<Role, string>>>
  /** Options with their allowed values. Another value could, for example, run a program. */
  readonly choices?: Readonly<Record<string, string>>
  /**
   * Options with effects. Unlisted options are refused too; these are listed so that an abbreviation is recognised as
   * ambiguous.
   */
  readonly refused?: string
  /** Options without a value that have effects. The rest of the command is still parsed, so that rules apply to it. */
  readonly effects?: string
  /** Options whose value is a file or folder that is written, if the command as a whole is not read-only: `tar -C`. */
  readonly targets?: string
  /** Options whose value is written if one of the other options is given: `-f` with `tar -c`. */
  readonly conditionalTargets?: { readonly options: string; readonly targets: string }
  /** Options that run their value or the content of a file. They are refused, and if there are deny rules, the user is asked. */
  readonly runs?: string
  /**
   * Options with which the program uses files that no word names: those in a list, or absolute names in an archive. Like
   * `runs`, they are refused, and neither deny rules nor allow rules can tell what the command uses.
   */
  readonly lists?: string
}

/** How the program parses its arguments. */
type OptionStyle =
  /** Every word is plain text, even one that starts with a dash. */
  | 'data'
  /** Options may follow operands, until `--`. */
  | 'gnu'
  /** The first operand ends the options. */
  | 'posix'
  /** Long options have one dash, and short ones are not clustered, as with `find` and `openssl`. */
  | 'single-dash'
  /** The first word may be an option cluster without a dash, as with `tar tf`. */
  | 'bundled'
  /** Like `gnu`, but values of clustered options are always the next words: `tree -LI 1 node_modules`. */
  | 'separate-values'

/** The known usage of a program or of one of its subcommands. */
export interface CommandUsage {
  readonly options?: OptionGroups
  /** The roles of the operands in order. If omitted, no operands are allowed. */
  readonly operands?: readonly OperandRole[]
  /** The operands if one of these options is given, such as `grep -e`. The first entry that matches applies. */
  readonly operandCases?: readonly { readonly options: string; readonly operands: readonly OperandRole[] }[]
  /** The number of operands without which the program reads further files. */
  readonly minOperands?: number
  /** The role of the last operand if there are at least two, such as the target of `cp`. */
  readonly lastOperand?: Role
  /** The path that is read if no operand names a file. A trailing slash means recursively. */
  readonly readsByDefault?: string
  /** The file that any use other than a read-only one changes, such as the configuration file of `git config`. */
  readonly changesOtherwise?: string
  /** Options that make the program change the files that it reads, such as `sed -i`. */
  readonly changesWith?: string
  /** Options that make the program read folders recursively. */
  readonly recursiveOptions?: string
  /** Options with which the program follows symbolic links below the folders that it reads. */
  readonly followsWith?: string
  /** At least one option of each list must be given, or the program has effects. */
  readonly requires?: readonly string[]
  /** Pairs of lists: with an option of the first, one of the second must be given. */
  readonly conditionalRequirements?: readonly (readonly [string, string])[]
  /** Pairs of lists whose options must not be combined: the last option wins, and it may be the one with effects. */
  readonly exclusivePairs?: readonly (readonly [string, string])[]
  /** Defaults to `gnu`. */
  readonly style?: OptionStyle
  /** Whether the first operand ends the options in any style. */
  readonly endsOptionsAtOperand?: true
  /** Whether long options may be abbreviated. If so, every long option must be listed, as harmless or as refused. */
  readonly acceptsAbbreviations?: true
  /** Whether a word that starts with `@` is replaced by the arguments in a file, even where a value is expected. */
  readonly expandsArgumentFiles?: true
  /**
   * Whether no option runs a program, writes or connects, so that words known only at run time are allowed anywhere. If an
   * option changes which files are read, it is then unknown which ones.
   */
  readonly hasOnlyHarmlessOptions?: true
  /** Whether the program may have any effect. Of its options, only those that write files or run programs are listed. */
  readonly isOpaque?: true
  /** Whether the program connects to the network. */
  readonly network?: true
  /** An effect beyond the operands, worded for the permission question. The program is never read-only. */
  readonly risk?: string
  /** Whether programs may run that the words do not name. If so, and if there are deny rules, the user is asked. */
  readonly runsUnknown?: true
  /** Names of `NAME=value` operands whose value is a program that runs, or options that may name one. */
  readonly programVariables?: string
  /** Whether the configuration of a git repository may make the program run other programs. */
  readonly usesRepository?: true
  /** The usage of each subcommand. Options before the subcommand belong to the program itself. */
  readonly subcommands?: Readonly<Record<string, CommandUsage>>
  /** Other built-in subcommands. A name that is in neither list may be an alias that runs another program. */
  readonly otherSubcommands?: string
  /** A custom checker, for grammars that a table cannot describe. */
  readonly checker?: CheckerName
}

export type CheckerName =
  | 'cd'
  | 'dd'
  | 'eval'
  | 'find'
  | 'git'
  | 'mapfile'
  | 'printf'
  | 'read'
  | 'shell'
  | 'posix-shell'
  | 'test'
  | 'xargs'

export interface CommandSpec extends CommandUsage {
  /**
   * All names of the program, separated by spaces. Different programs may share an entry only if none of their options has
   * effects (`hasOnlyHarmlessOptions`) or none of their uses is read-only.
   */
  readonly names: string
  /** Invocations that must be read-only. The observation test runs them if the program is installed. */
  readonly examples: readonly string[]
  /** The manual page that the entry is based on. */
  readonly manual: string
  /**
   * Whether CI installs the program, so that the observation test runs the examples, `--help` and `--version`. Only for such
   * programs are `--help` and `--version` known to have no effects.
   */
  readonly isObserved?: true
  /** True if the observation test runs only `--help` and `--version`; false if these have effects. */
  readonly hasObservedHelp?: boolean
  /**
   * Whether the program is a wrapper that affects neither which program runs nor what it loads. Allow rules then match the
   * inner command.
   */
  readonly isTransparent?: true
}
