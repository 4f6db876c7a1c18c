/**
 * The vocabulary of the tables in `families/`. A table is a list of what is known to be harmless: a program that stands
 * in none, an option that is not listed, an operand too many: each of them makes the effects of a command unknown.
 */

/** What an operand, or the value of an option, is to the program. */
export type Role =
  /** Data: it shapes the output and names no file. */
  | 'text'
  /** A file, or a folder whose entries are listed. `-` is the input. */
  | 'reads'
  /** A file or folder that is read with all that lies below. */
  | 'tree'
  /**
   * A file that is read, unless a `+` or `@` before it makes it a command (`less +!ls`) or options (`nm @file`).
   * A line or the end to start at (`+5`, `+G`) may stand in its place.
   */
  | 'viewed'
  /** A file that is read, unless it begins like the names by which gawk connects: `/inet/tcp/0/host/80`. */
  | 'opened'
  /** A file, or an address without the name of a machine, which would be looked up. */
  | 'local'
  /** A file or folder that is created or changed. */
  | 'writes'
  /** A file or folder that is deleted, with all that lies below. */
  | 'deletes'
  /** Text that must begin with `+`, as in `date +%s`. */
  | 'format'
  /** Text without a slash, as the name of a manual page. */
  | 'name'
  /** A name as those of variables and functions: neither a subscript nor a value is in it. */
  | 'identifier'
  /** A mode of the shell that only makes it stricter or more talkative. */
  | 'mode'
  /** The name of a setting, with a dot in it. */
  | 'setting'
  /** The name of a parameter of the kernel: with `=` in it, a value would be written. */
  | 'parameter'
  /** A file whose name has no colon: with one, `tar` would run a program to reach another machine. */
  | 'archive'
  /** The folder in which it works: refused unless it is `.`. */
  | 'here'
  /** Refused whatever it is: the option does more than read, but takes a value. */
  | 'refused'
  /** Refused whatever it is, and more may run than the words tell, as with `git -c`. */
  | 'runs'
  /** A whole number, which may be signed. */
  | 'number'
  /** A program in a language that has its own checker in `scripts/`. */
  | 'sed'
  | 'awk'
  /** Shell code: analysed like the command itself. */
  | 'shell'
  /** `NAME=value` words, any number of them. */
  | 'assignments'
  /** From here on stands another command: analysed like the command itself. */
  | 'command'

/** A role for one operand, or with dots for all that follow. */
export type OperandRole = Role | `${Role}...`

/**
 * Options by what follows them, separated by spaces. `-#` stands for a number as in `head -5`.
 * A short option may stand in a cluster (`-la`), and its value may be attached (`-n5`).
 */
export interface OptionGroups {
  /** Stand alone. */
  readonly flags?: string
  /** Take a value: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. The value is data. */
  readonly values?: string
  /** Take a value only if it is attached: `-U3`, `--color=auto`. The value is data. */
  readonly attached?: string
  /** Take a value of some other role only if it is attached. */
  readonly attachedRoles?: Readonly<Partial<Record<Role, string>>>
  /** Take a value of some other role. */
  readonly roles?: Readonly<Partial<Record<Role, string>>>
  /** Write, run or connect. Named so that no abbreviation of another is taken for them; unlisted ones are refused, too. */
  readonly refused?: string
  /** Run the words behind them, or something that a file says: refused, and rules that deny something must ask. */
  readonly runs?: string
}

/** How the program reads its words. */
type OptionStyle =
  /** Options may stand behind operands, until `--`. */
  | 'gnu'
  /** The first operand ends the options. */
  | 'posix'
  /** Long options have one dash and short ones do not cluster, as with `find` and `openssl`. */
  | 'single-dash'
  /** The first word may be a cluster without a dash, as with `tar tf`. */
  | 'bundled'

/** What is known of a program, or of one of its subcommands. */
export interface CommandUsage {
  readonly options?: OptionGroups
  /** What the operands are, in their order. Left out, there may be none. */
  readonly operands?: readonly OperandRole[]
  /** The operands where one of these options is given, as `grep -e`. The first that fits counts. */
  readonly operandsWith?: readonly { readonly options: string; readonly operands: readonly OperandRole[] }[]
  /** The role of the last operand where there are at least two, as the target of `cp`. */
  readonly lastOperand?: Role
  /** What is read where no operand names a file; a slash at the end means all that lies below. */
  readonly readsByDefault?: string
  /** Options with which the files that are read are changed, as `sed -i`. */
  readonly changesWith?: string
  /** With one of these options all files and folders are read with what lies below. */
  readonly treeWith?: string
  /** At least one option of each of these lists must be given, or the program does more than read. */
  readonly requires?: readonly string[]
  /** Pairs of lists: an option of the one with an option of the other does more than read, as the last of them counts. */
  readonly notTogether?: readonly (readonly [string, string])[]
  /** Left out, `gnu`. */
  readonly style?: OptionStyle
  /** Long options may be abbreviated. Every long option must then be listed, harmless or refused. */
  readonly abbreviates?: true
  /** No option does more than read: a word that is not known before it runs may stand anywhere. */
  readonly hasOnlyHarmlessOptions?: true
  /** Reaches the network. */
  readonly network?: true
  /** It does more than its operands tell, so it is never read-only; the words say what, for the person who is asked. */
  readonly risk?: string
  /** More may run than its words tell: rules that deny something must ask. */
  readonly runsUnknown?: true
  /** Its answer depends on the configuration of a git repository, which may run programs. */
  readonly usesRepository?: true
  /** Which words are a subcommand of their own, each with its usage. Options before it are those of the command. */
  readonly subcommands?: Readonly<Record<string, CommandUsage>>
  /** Subcommands of which nothing more is known; any other may be an alias, which runs what a setting says. */
  readonly otherSubcommands?: string
  /** A checker of its own, for grammars that no table can tell. */
  readonly checker?: CheckerName
}

export type CheckerName =
  | 'cd'
  | 'find'
  | 'git'
  | 'mapfile'
  | 'printf'
  | 'read'
  | 'shell'
  | 'small-shell'
  | 'test'
  | 'xargs'

export interface CommandSpec extends CommandUsage {
  /** Every name by which it is called, separated by spaces. */
  readonly names: string
  /** Invocations that must be read-only; the observation test runs them where the program is present. */
  readonly examples: readonly string[]
  /** The manual page that was read. */
  readonly manual: string
  /** The observation test has run the examples: its program is in the packages that the tests install. */
  readonly isObserved?: true
  /** As a wrapper it changes neither which program runs nor what it loads: rules that allow look through it. */
  readonly isTransparent?: true
}
