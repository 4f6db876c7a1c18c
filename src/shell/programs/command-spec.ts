/**
 * The types of the tables in `families/`. A table lists programs and options whose effects are known. A program, an option or an extra operand
 * that no table lists makes the effects of a command unknown.
 */

/** How the program uses an operand or the value of an option. */
export type Role =
  /** Data that affects only the output and names no file. */
  | 'text'
  /** A file that is read, or a folder whose entries are listed. `-` is standard input. */
  | 'reads'
  /** A file that is read under this name or with the suffix of a compressed file: `zcat a` may read `a.gz`. */
  | 'compressed'
  /** A file, or a folder whose files are read, also those that symbolic links in it name. */
  | 'followed'
  /** A file or folder that is read recursively. */
  | 'tree'
  /**
   * A file that is read. A leading `+` or `@` would make it a command (`less +!ls`) or an options file (`nm @file`), except for
   * a start position (`+5`, `+G`).
   */
  | 'viewed'
  /** A file that is read, but not a gawk network name such as `/inet/tcp/0/host/80`. */
  | 'opened'
  /** A file, or an address without a host name. A host name would need a DNS lookup. */
  | 'local'
  /** A file or folder that is created, changed or replaced, or whose attributes change. */
  | 'writes'
  /** A folder in which files are created with the names of the operands: `cp -t folder`. */
  | 'into'
  /** A file that receives content. For the devices in `SINKS` that changes nothing. */
  | 'output'
  /** A file or folder that is deleted recursively. */
  | 'deletes'
  /** Text that must start with `+`, as in `date +%s`. */
  | 'format'
  /** Text without a slash, such as the name of a manual page. */
  | 'name'
  /** The name of a variable or function, without a subscript or value. */
  | 'identifier'
  /** A mode of the shell, such as `pipefail`, that makes the shell only stricter or more verbose, or the opposite: `+x`. */
  | 'mode'
  /** The number of a port: `:80`. */
  | 'port'
  /** The name of a setting, which contains a dot, or `list`. */
  | 'setting'
  /** The name of a kernel parameter. With `=` it would be written. */
  | 'parameter'
  /** A file whose name contains no colon. With a colon, `tar` would run a program to reach another host. */
  | 'archive'
  /** The folder in which the program runs, as with `git -C`: a plain path without `..`, which it would resolve after links. */
  | 'folder'
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

/** A role for one operand, or with dots for this and all following ones. */
export type OperandRole = Role | `${Role}...`

/**
 * Options grouped by their values, separated by spaces. `-#` stands for a number as in `head -5`.
 * Short options may be clustered (`-la`), and their values may be attached (`-n5`).
 */
export interface OptionGroups {
  /** Options without a value. */
  readonly flags?: string
  /** Options with a value, which is data: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
  readonly values?: string
  /** Options whose value, which is data, must be attached: `-U3`, `--color=auto`. */
  readonly attached?: string
  /** Options whose value must be attached and has another role. */
  readonly attachedRoles?: Readonly<Partial<Record<Role, string>>>
  /** Options whose value has another role. */
  readonly roles?: Readonly<Partial<Record<Role, string>>>
  /** Options that take a name and then a value with a role: `jq --rawfile NAME FILE`. */
  readonly pairs?: Readonly<Partial<Record<Role, string>>>
  /** Options with the values that are allowed, for example because another value would run a program. */
  readonly choices?: Readonly<Record<string, string>>
  /** Options with effects. Unlisted options are refused too; these are listed so that abbreviations are recognised as ambiguous. */
  readonly refused?: string
  /** Options without a value that have effects, but after which the command is still parsed, so that rules apply to it. */
  readonly effects?: string
  /** Options that run their value or the content of a file. They are refused, and deny rules cause a question. */
  readonly runs?: string
}

/** How the program parses its arguments. */
type OptionStyle =
  /** Every word is data, also one that starts with a dash. */
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
  /** The operands if one of these options is given, such as `grep -e`. The first match counts. */
  readonly operandsWith?: readonly { readonly options: string; readonly operands: readonly OperandRole[] }[]
  /** The role of the last of at least two operands, such as the target of `cp`. */
  readonly lastOperand?: Role
  /** The path that is read if no operand names a file. A trailing slash means recursively. */
  readonly readsByDefault?: string
  /** The file that every use changes that is not read-only, such as the settings of `git config`. */
  readonly changesOtherwise?: string
  /** Options that change the files that are read, such as `sed -i`. */
  readonly changesWith?: string
  /** Options that make the program read folders recursively. */
  readonly treeWith?: string
  /** At least one option of each list must be given, or the program has effects. */
  readonly requires?: readonly string[]
  /** Pairs of lists that must not be combined: the last option wins, which may be the one with effects. */
  readonly notTogether?: readonly (readonly [string, string])[]
  /** Defaults to `gnu`. */
  readonly style?: OptionStyle
  /** The first operand ends the options, whatever the style. */
  readonly endsOptionsAtOperand?: true
  /** Long options may be abbreviated. Every long option must then be listed, harmless or refused. */
  readonly abbreviates?: true
  /** No option has effects, so words that are known only at run time are allowed anywhere. */
  readonly hasOnlyHarmlessOptions?: true
  /** The program connects to the network. */
  readonly network?: true
  /** An effect beyond the operands, worded for the permission question. The program is never read-only. */
  readonly risk?: string
  /** Other programs may run than the words name, so deny rules cause a question. */
  readonly runsUnknown?: true
  /** The configuration of a git repository may make the program run other programs. */
  readonly usesRepository?: true
  /** The usage of each subcommand. Options before the subcommand belong to the command. */
  readonly subcommands?: Readonly<Record<string, CommandUsage>>
  /** Other built-in subcommands. Any name that is not listed may be an alias, which runs what a setting says. */
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
   * All names of the program, separated by spaces. Different programs share an entry only if none of their options has
   * effects (`hasOnlyHarmlessOptions`) or none of their uses is read-only.
   */
  readonly names: string
  /** Invocations that must be read-only. The observation test runs them if the program is installed. */
  readonly examples: readonly string[]
  /** The manual page that the entry is based on. */
  readonly manual: string
  /**
   * The observation test runs the examples, and `--help` and `--version`, because CI installs the program. Only for observed
   * programs `--help` and `--version` are known to have no effects.
   */
  readonly isObserved?: true
  /** True if the observation test runs only `--help` and `--version`; false if these have effects. */
  readonly hasObservedHelp?: boolean
  /** A wrapper that affects neither which program runs nor what it loads, so allow rules match the inner command. */
  readonly isTransparent?: true
}
