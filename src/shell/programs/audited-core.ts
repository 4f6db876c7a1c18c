/**
 * The commands that run without approval where no sandbox is available. There, nothing stops a command that the analysis
 * misjudges. So this is a second, independent check, small enough to be read in full: plain words, well-known programs, and
 * options that are listed one by one. Any other command needs approval.
 */

/**
 * The accepted arguments of a program. `flags` are letters of options without a value, `values` letters of options with one;
 * operands must match `operand`.
 */
interface CoreProgram {
  readonly flags?: string
  readonly values?: string
  /** Long options, and options of `find`. Only the name before `=` is compared, and it must not be abbreviated. */
  readonly longOptions?: string
  readonly minOperands?: number
  readonly maxOperands?: number
  readonly operand?: RegExp
}

const ANY_TEXT = /^[^\0]*$/

const CORE_PROGRAMS: Readonly<Record<string, CoreProgram>> = {
  basename: { flags: 'az', values: 's' },
  cat: { flags: 'AbeEnstTuv', longOptions: '--number --show-all' },
  cd: { maxOperands: 1, operand: /^[^-]/ },
  cmp: { flags: 'bls' },
  comm: { flags: '123' },
  cut: { flags: 'snz', values: 'bcdf', longOptions: '--complement --delimiter --fields --output-delimiter' },
  date: { flags: 'uIR', longOptions: '--utc --iso-8601', maxOperands: 1, operand: /^\+/ },
  df: { flags: 'ahHikmPT' },
  diff: { flags: 'aBbcEiNqrsuwy', values: 'UW', longOptions: '--brief --unified --ignore-all-space --recursive' },
  dirname: { flags: 'z' },
  du: { flags: 'abchkmsx0', values: 'd', longOptions: '--max-depth --summarize --human-readable --total' },
  echo: { flags: 'neE', operand: ANY_TEXT },
  egrep: { flags: 'chHilLnoqrsvw', values: 'ABCem' },
  false: {},
  fgrep: { flags: 'chHilLnoqrsvw', values: 'ABCem' },
  file: { flags: 'bhikLNr', longOptions: '--brief --mime --mime-type --mime-encoding' },
  fold: { flags: 'bs', values: 'w' },
  grep: {
    flags: 'abcEFGhHiIlLnoPqrsvwxzZ',
    values: 'ABCem',
    longOptions:
      '--include --exclude --exclude-dir --color --count --line-number --ignore-case --files-with-matches --recursive --only-matching --extended-regexp --fixed-strings --word-regexp --invert-match --max-count --context --after-context --before-context',
  },
  head: { flags: 'qvz#', values: 'nc', longOptions: '--lines --bytes --quiet' },
  hostname: { flags: 's', maxOperands: 0 },
  id: { flags: 'gGnuz' },
  ls: {
    flags: 'aAbBcCdfFgGhiklmnNopqQrRsStuvxXZ1',
    longOptions:
      '--all --almost-all --color --full-time --group-directories-first --human-readable --recursive --reverse --size --sort --time',
  },
  md5sum: { flags: 'btz' },
  nl: { flags: 'p', values: 'bdfhilnsvw' },
  nproc: { longOptions: '--all', maxOperands: 0 },
  paste: { flags: 'sz', values: 'd' },
  printf: { operand: ANY_TEXT },
  pwd: { flags: 'LP', maxOperands: 0 },
  readlink: { flags: 'efmnqsvz' },
  realpath: { flags: 'eLmPqsz', longOptions: '--relative-to' },
  rev: {},
  seq: { flags: 'w', values: 's', operand: /^-?\d+(?:\.\d+)?$/ },
  sha1sum: { flags: 'btz' },
  sha256sum: { flags: 'btz' },
  sleep: { minOperands: 1, operand: /^\d+(?:\.\d+)?[smhd]?$/ },
  // Merging many files would write temporary files.
  sort: {
    flags: 'bcCdfghiMnrRsuVz',
    values: 'kt',
    longOptions: '--key --field-separator --numeric-sort --reverse --unique',
  },
  stat: { flags: 'fLt', values: 'c', longOptions: '--format --printf --dereference --terse' },
  // From a pipe it would write a temporary file.
  tac: { minOperands: 1, operand: /^(?!-|\/dev|\/proc)./ },
  tail: { flags: 'qvz#', values: 'nc', longOptions: '--lines --bytes --quiet' },
  test: { operand: ANY_TEXT, longOptions: '-e -f -d -r -w -x -s -L -h -z -n -a -o' },
  '[': { operand: ANY_TEXT, longOptions: '-e -f -d -r -w -x -s -L -h -z -n -a -o' },
  tr: { flags: 'cCdst' },
  tree: { flags: 'aCdDfFghinNpqQrsStuUvx', values: 'LIP', longOptions: '--dirsfirst --noreport --gitignore --prune' },
  true: {},
  type: { flags: 'aptP' },
  uname: { flags: 'aimnoprsv', maxOperands: 0 },
  uniq: { flags: 'cdDiuz', values: 'fsw', maxOperands: 1 },
  wc: { flags: 'cLlmw', longOptions: '--bytes --chars --lines --words' },
  which: { flags: 'a' },
  whoami: { maxOperands: 0 },
  find: {
    longOptions:
      '-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -ctime -atime -newer -empty -not -o -a -or -and -print -print0 -prune -perm -links -depth -xdev -mount -regex -iregex -regextype',
    operand: ANY_TEXT,
  },
}

const GIT_DIFF_OPTIONS =
  '--stat --shortstat --numstat --name-only --name-status --no-color --color --word-diff --ignore-all-space --ignore-space-change --unified --summary --diff-filter --patch --no-patch --no-ext-diff --no-textconv --find-renames --minimal --patience --histogram --check --raw'
const GIT_LOG_OPTIONS =
  '--oneline --graph --all --decorate --no-decorate --abbrev-commit --no-merges --merges --reverse --max-count --since --until --after --before --author --grep --format --pretty --date --first-parent --branches --tags --remotes --skip --topo-order --date-order --source --no-color --color --no-patch'

const NO_OPERAND = /(?!)/

/**
 * Subcommands of git. When they run, Haft disables hooks and file system monitors and checks the configuration for programs.
 * Comparisons with a commit are excluded: its tree may contain the name `..`, and git then reads attributes outside the working
 * tree. So `git diff` takes paths only after `--`, and `git log` shows no changes.
 */
const GIT: Readonly<Record<string, CoreProgram>> = {
  status: {
    flags: 'sbuz',
    longOptions: '--short --branch --porcelain --long --untracked-files --ignored --show-stash',
  },
  log: { flags: 'is#', values: 'n', longOptions: GIT_LOG_OPTIONS },
  // The numbers of `-U3` and `-M50` are attached. A separate next word would be a commit.
  diff: { flags: 'pwbRzUMC0123456789', values: 'SG', longOptions: GIT_DIFF_OPTIONS, operand: NO_OPERAND },
  branch: { flags: 'arv', longOptions: '--all --list --remotes --show-current --verbose', maxOperands: 0 },
  'rev-parse': {
    longOptions:
      '--abbrev-ref --short --show-toplevel --git-dir --is-inside-work-tree --verify --show-prefix --symbolic-full-name',
  },
  'ls-files': {
    flags: 'cdmosuz',
    longOptions: '--cached --deleted --modified --others --exclude-standard --stage --full-name',
  },
  'ls-tree': { flags: 'drtlz', longOptions: '--name-only --full-name --long' },
  blame: { flags: 'sewMC', values: 'L', longOptions: '--line-porcelain --porcelain --date' },
  shortlog: { flags: 'sne', longOptions: '--summary --numbered --email --all --no-merges --since --until' },
  'merge-base': { flags: 'a', longOptions: '--all --is-ancestor' },
  'rev-list': { values: 'n', longOptions: '--count --all --max-count --no-merges --first-parent --since --until' },
  tag: { flags: 'l', longOptions: '--list --sort', maxOperands: 0 },
}

/** Whether a command, given as its words, belongs to this audited core. */
export function isCoreCommand([name = '', ...args]: readonly string[]): boolean {
  if (name === 'command') return /^-[vV]$/.test(args[0] ?? '')
  if (name !== 'git') return Object.hasOwn(CORE_PROGRAMS, name) && hasCoreArguments(CORE_PROGRAMS[name], args)
  const [subcommand = '', ...subcommandArgs] = args[0] === '--no-pager' ? args.slice(1) : args
  // `%G` makes git verify signatures with a program that its configuration names.
  return (
    Object.hasOwn(GIT, subcommand) &&
    hasCoreArguments(GIT[subcommand], subcommandArgs) &&
    !subcommandArgs.join(' ').includes('%G')
  )
}

/** Subcommands of git that print what is in files, whichever the repository contains. */
const PRINTING_GIT_SUBCOMMANDS = new Set(['log', 'diff', 'blame'])

/** Whether a command of the core prints files that its words do not name, because git finds them in the repository. */
export function printsUnnamedFiles([name, ...args]: readonly string[]): boolean {
  return name === 'git' && args.some((word) => PRINTING_GIT_SUBCOMMANDS.has(word))
}

function hasCoreArguments(program: CoreProgram | undefined, args: readonly string[]): boolean {
  if (program === undefined) return false
  const { minOperands = 0, maxOperands = Number.POSITIVE_INFINITY, operand = /^(?!-.)/ } = program
  const end = args.indexOf('--')
  const argsBefore = end < 0 ? args : args.slice(0, end)
  const operands = skipOptions(program, argsBefore)
  if (operands === undefined || !operands.every((word) => operand.test(word))) return false
  if (operands.length < minOperands) return false
  return operands.length + args.length - argsBefore.length <= maxOperands
}

/** Returns the words that are neither listed options nor their values; undefined if an option is not listed. */
function skipOptions({ flags = '', values = '', longOptions = '' }: CoreProgram, args: readonly string[]) {
  const longNames = new Set(longOptions.split(' '))
  const operands: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (!/^-./.test(arg)) operands.push(arg)
    else if (!longNames.has(arg.split('=', 1)[0] ?? '')) {
      const valueAt = findClusterValueAt(arg.slice(1), flags, values)
      if (valueAt === undefined) return undefined
      // No value is attached, so the next word is the value.
      if (valueAt === arg.length - 1) at++
    }
  }
  return operands
}

/** Returns where the value of a cluster such as `-rn5` starts; 0 if it has none; undefined if an option is not listed. */
function findClusterValueAt(cluster: string, flags: string, values: string): number | undefined {
  if (flags.includes('#') && /^\d+$/.test(cluster)) return 0
  for (const [index, letter] of [...cluster].entries()) {
    if (values.includes(letter)) return index + 1
    if (!flags.includes(letter) || letter === '#') return undefined
  }
  return 0
}

/**
 * Quoted text without expansions, plain characters, and characters that are special only at the start of a word. Wildcards are
 * excluded, except in the value of an option, because they could match a link that leads outside.
 */
const WORD_PIECE = /'[^']*'|"[^"$`\\!]*"|[A-Za-z0-9_./,@%+-]+|[:=](?!~)|(?<==)[*?]|(?<=\w)[~^]/y
const BLANKS = /[ \t]*/y
const OPERATOR = /\|\|?(?!&)|&&|;(?![;&])|\n/y
const QUIET_REDIRECTION = /(?:[12&]?>[ ]?\/dev\/null|2>&1)(?=[ \t\n;|&]|$)/y
const BRACKET_TOKEN = /[[\]](?=[ \t\n;|&]|$)/y
const WORD_END = /(?=[ \t\n;|&]|$)/y
const MAX_CHARS = 2_000

/**
 * Returns the commands of a script that consists only of plain words, pipes and lists; undefined if it contains anything else,
 * such as variables, substitutions, loops or redirections to files.
 */
export function readPlainScript(text: string): readonly (readonly string[])[] | undefined {
  if (text.length > MAX_CHARS) return undefined
  const reader = new PlainReader(text.trim().replace(/;$/, ''))
  const commands: string[][] = []
  do {
    const words = reader.readCommand()
    if (words === undefined) return undefined
    commands.push(words)
  } while (reader.skipOperator())
  return reader.isAtEnd ? commands : undefined
}

class PlainReader {
  private at = 0

  constructor(private readonly source: string) {}

  get isAtEnd(): boolean {
    return this.at === this.source.length
  }

  skipOperator(): boolean {
    return this.take(OPERATOR) !== undefined
  }

  /** Returns the words up to an operator; undefined if there are none or a word is not plain. */
  readCommand(): string[] | undefined {
    const words: string[] = []
    this.take(BLANKS)
    for (let word = this.readWord(); word !== undefined; word = this.readWord()) {
      if (word !== QUIET_REDIRECTION_TOKEN) words.push(word)
      this.take(BLANKS)
    }
    const [program] = words
    return program === undefined || program.includes('=') ? undefined : words
  }

  private readWord(): string | typeof QUIET_REDIRECTION_TOKEN | undefined {
    if (this.take(QUIET_REDIRECTION) !== undefined) return QUIET_REDIRECTION_TOKEN
    let word = this.take(BRACKET_TOKEN)
    for (let piece = this.take(WORD_PIECE); piece !== undefined; piece = this.take(WORD_PIECE)) {
      word = (word ?? '') + (/^['"]/.test(piece) ? piece.slice(1, -1) : piece)
    }
    return this.take(WORD_END) === undefined ? undefined : word
  }

  private take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at
    const matchedText = expression.exec(this.source)?.[0]
    this.at += matchedText?.length ?? 0
    return matchedText
  }
}

/** Stands for a redirection that hides output and writes no file. */
const QUIET_REDIRECTION_TOKEN = Symbol('quiet')
