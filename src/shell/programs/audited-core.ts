/**
 * The commands that run without approval where no sandbox is available. There, nothing stops a command that the analysis
 * misjudges. So this is a second, independent check, small enough to be read in full: plain words, well-known programs, and
 * options and operands that are listed with their kinds. Any other command needs approval.
 *
 * Excluded are programs with a language of their own, and programs that read configuration or lists of names, run other
 * programs, decompress, resolve host names, or write temporary files.
 */

/** What the operands of a program are. `file`: its content is read. `entry`: it is listed, or everything below it is read. */
type OperandKind = 'text' | 'file' | 'entry'

/** The accepted arguments of a program. Everything else is refused, including abbreviations. */
interface CoreProgram {
  /** Letters of options without a value, which may be clustered. */
  readonly flags?: string
  /** Letters of options with a value, by the kind of the value. The value may be attached or the next word. */
  readonly numbers?: string
  readonly texts?: string
  /** Long options without a value. */
  readonly words?: string
  /** Long options and their accepted values, which must be attached with `=`. */
  readonly choices?: Readonly<Record<string, RegExp>>
  /** Further accepted options, such as the number in `head -5`. */
  readonly exact?: RegExp
  readonly operands?: OperandKind
  /** Which text operands are accepted. Default: all that do not start with a dash. */
  readonly pattern?: RegExp
  readonly min?: number
  readonly max?: number
}

/** The files and folders that a command of the core uses. */
export interface CoreUse {
  /** Files whose content is read. They must be regular files. */
  readonly files: readonly string[]
  /** Files and folders whose names are listed, or whose whole content is read without following links. */
  readonly entries: readonly string[]
  /** Whether the command is git, which is harmless in ordinary repositories only. */
  readonly usesRepository: boolean
  /** The folder to which `cd` changes. */
  readonly folder?: string
}

const NUMBER = /^[-+]?\d{1,9}[bkKMG]?$/
const COUNT = /^\d{1,6}$/
const COUNT_OPTION = /^-\d{1,6}$/
const NAME = /^[\w.+][\w.+-]*$/
const NO_OPTION = /^(?!-)/
const ANY_TEXT = /^/
const COLOUR = /^(?:auto|always|never)$/

const FILES: CoreProgram = { operands: 'file' }

const CORE_PROGRAMS: Readonly<Record<string, CoreProgram>> = {
  basename: { flags: 'a', texts: 's', operands: 'text', min: 1 },
  cat: { ...FILES, flags: 'AbeEnstTuv' },
  cmp: { ...FILES, flags: 'bls', min: 2, max: 2 },
  comm: { ...FILES, flags: '123', min: 2, max: 2 },
  cut: { ...FILES, flags: 's', texts: 'bcdf', words: '--complement', choices: { '--output-delimiter': ANY_TEXT } },
  date: { flags: 'uIR', words: '--utc --iso-8601', operands: 'text', pattern: /^\+/, max: 1 },
  df: { flags: 'hHikmPT' },
  // Only files are accepted: in folders, `diff` would follow links.
  diff: { ...FILES, flags: 'aBbciqsuwy', numbers: 'UW', words: '--brief --ignore-all-space', min: 2, max: 2 },
  dirname: { operands: 'text', min: 1 },
  du: { flags: 'abchkmsx', numbers: 'd', choices: { '--max-depth': COUNT }, operands: 'entry' },
  false: {},
  head: {
    ...FILES,
    flags: 'qv',
    numbers: 'nc',
    choices: { '--lines': NUMBER, '--bytes': NUMBER },
    exact: COUNT_OPTION,
  },
  hostname: {},
  id: { flags: 'gGnu' },
  ls: {
    operands: 'entry',
    flags: 'aAbBcCdfFgGhiklmnNopqQrRsStuvxX1',
    words: '--all --almost-all --full-time --group-directories-first --human-readable --recursive --reverse --size',
    choices: { '--color': COLOUR, '--sort': NAME, '--time': NAME },
  },
  md5sum: FILES,
  nl: { ...FILES, texts: 'b', numbers: 'w' },
  nproc: { words: '--all' },
  paste: { ...FILES, flags: 's', texts: 'd' },
  pwd: { flags: 'LP' },
  readlink: { flags: 'efmn', operands: 'entry', min: 1 },
  realpath: { flags: 'emsLP', operands: 'entry', min: 1 },
  rev: FILES,
  seq: { flags: 'w', operands: 'text', pattern: COUNT, min: 1, max: 3 },
  sha1sum: FILES,
  sha256sum: FILES,
  sleep: { operands: 'text', pattern: /^\d{1,3}(?:\.\d{1,3})?s?$/, min: 1, max: 1 },
  // Excluded: `-m` and `-S`, with which `sort` writes temporary files.
  sort: { ...FILES, flags: 'bcCdfghiMnrsuV', texts: 'kt', words: '--numeric-sort --reverse --unique' },
  stat: { flags: 't', texts: 'c', choices: { '--format': ANY_TEXT }, operands: 'entry', min: 1 },
  // When `tac` reads from a pipe, it writes a temporary file.
  tac: { ...FILES, min: 1 },
  tail: {
    ...FILES,
    flags: 'qv',
    numbers: 'nc',
    choices: { '--lines': NUMBER, '--bytes': NUMBER },
    exact: COUNT_OPTION,
  },
  tr: { flags: 'cCds', operands: 'text', min: 1, max: 2 },
  tree: { flags: 'aCdfFghipqrst', numbers: 'L', texts: 'IP', words: '--dirsfirst --noreport', operands: 'entry' },
  true: {},
  type: { flags: 'aptP', operands: 'text', pattern: NAME, min: 1 },
  uname: { flags: 'aimnoprsv' },
  // A second operand would be written.
  uniq: { ...FILES, flags: 'cdDiu', numbers: 'fsw', max: 1 },
  wc: { ...FILES, flags: 'cLlmw', words: '--bytes --chars --lines --words' },
  which: { flags: 'a', operands: 'text', pattern: NAME, min: 1 },
  whoami: {},
}

/** Programs that list the working folder if no operand names another one. */
const LISTS_BY_DEFAULT = new Set(['du', 'ls', 'tree'])

const GREP: CoreProgram = {
  flags: 'abcEFGhHiIlLnoPqrsvwx',
  numbers: 'ABCm',
  texts: 'e',
  words:
    '--count --line-number --ignore-case --files-with-matches --recursive --only-matching --extended-regexp --fixed-strings --word-regexp --invert-match',
  choices: {
    ...{ '--include': ANY_TEXT, '--exclude': ANY_TEXT, '--exclude-dir': ANY_TEXT, '--color': COLOUR },
    ...{ '--max-count': COUNT, '--context': COUNT, '--after-context': COUNT, '--before-context': COUNT },
  },
  operands: 'text',
}

const REVISION = /^(?!-)[\w./@^~-]+$/
const PLAIN_PATH = /^(?![-:])[^*?[\\]+$/
const GIT_DATE = /^[\w .:+-]+$/
const GIT_FORMAT =
  /^(?:oneline|short|medium|full|fuller|reference|(?:(?:t?format:)?(?:[^%]|%(?:[HhTtPpDdsbBn%]|[ac][nNeEdrtiIs]|C(?:reset|red|green|blue|yellow|cyan|\([a-z ]+\))|x[0-9a-f]{2}))*))$/
const GIT_WALK: CoreProgram = {
  exact: COUNT_OPTION,
  numbers: 'n',
  words:
    '--oneline --graph --all --decorate --no-decorate --abbrev-commit --no-merges --merges --reverse --first-parent --branches --tags --remotes --topo-order --date-order --no-color --count',
  choices: {
    ...{ '--max-count': COUNT, '--skip': COUNT, '--since': GIT_DATE, '--until': GIT_DATE, '--after': GIT_DATE },
    ...{
      '--before': GIT_DATE,
      '--author': ANY_TEXT,
      '--grep': ANY_TEXT,
      '--format': GIT_FORMAT,
      '--pretty': GIT_FORMAT,
    },
    ...{ '--date': /^(?:short|iso|relative|local|rfc|unix|human)$/ },
  },
  operands: 'text',
  pattern: REVISION,
}

/**
 * Subcommands of git, for ordinary repositories. When they run, Haft disables hooks, file system monitors and the search for
 * renames in `status`. Comparisons with a commit are excluded: its tree may contain the name `..`, and git then reads
 * attributes outside the working tree. So `git diff` takes paths only, after `--`, and `git log` shows no changes.
 */
const GIT: Readonly<Record<string, CoreProgram>> = {
  status: {
    flags: 'sbu',
    exact: /^-u(?:no|normal|all)$/,
    words: '--short --branch --porcelain --long --untracked-files --ignored --show-stash',
    choices: { '--porcelain': /^(?:v1|v2|1|2)$/, '--untracked-files': /^(?:no|normal|all)$/ },
  },
  log: GIT_WALK,
  'rev-list': GIT_WALK,
  diff: {
    flags: 'pwbR',
    // The number must be attached. A separate word would be a commit for older versions.
    exact: /^-U\d{1,3}$/,
    words:
      '--stat --shortstat --numstat --name-only --name-status --no-color --word-diff --ignore-all-space --ignore-space-change --summary --patch --check --no-ext-diff --no-textconv',
    choices: { '--unified': COUNT, '--diff-filter': /^[A-Za-z]+$/, '--color': COLOUR },
  },
  branch: { flags: 'arv', words: '--all --list --remotes --show-current --verbose' },
  'rev-parse': {
    words: '--abbrev-ref --short --show-toplevel --git-dir --is-inside-work-tree --verify --show-prefix',
    operands: 'text',
    pattern: REVISION,
  },
  'ls-files': {
    flags: 'cdmosu',
    words: '--cached --deleted --modified --others --exclude-standard --stage --full-name',
  },
  'ls-tree': { flags: 'drtl', words: '--name-only --full-name --long', operands: 'text', pattern: REVISION, max: 1 },
  'merge-base': { words: '--all --is-ancestor', operands: 'text', pattern: REVISION },
  remote: { flags: 'v' },
  shortlog: {
    flags: 'sne',
    words: '--summary --numbered --email --all --no-merges',
    operands: 'text',
    pattern: REVISION,
  },
  tag: { flags: 'l', words: '--list' },
}

/** Subcommands of git that take paths after `--`. */
const GIT_PATH_COMMANDS = new Set(['diff', 'log', 'ls-files', 'status'])

const EMPTY_USE: CoreUse = { files: [], entries: [], usesRepository: false }

/** Returns what a command of the audited core uses; undefined if the command, given as its words, is not in it. */
export function findCoreUse([name = '', ...args]: readonly string[]): CoreUse | undefined {
  if (Object.hasOwn(SPECIAL_PROGRAMS, name)) return SPECIAL_PROGRAMS[name]?.(args)
  const program = Object.hasOwn(CORE_PROGRAMS, name) ? CORE_PROGRAMS[name] : undefined
  const operands = program === undefined ? undefined : readArguments(program, args)?.operands
  if (program === undefined || operands === undefined) return undefined
  if (program.operands === 'file') return { ...EMPTY_USE, files: operands }
  if (program.operands !== 'entry') return EMPTY_USE
  const isDefault = operands.length === 0 && LISTS_BY_DEFAULT.has(name)
  return { ...EMPTY_USE, entries: isDefault ? ['.'] : operands }
}

const SPECIAL_PROGRAMS: Readonly<Record<string, (args: readonly string[]) => CoreUse | undefined>> = {
  cd: (args) => (args.length === 1 && isPath(args[0]) ? { ...EMPTY_USE, folder: args[0] ?? '' } : undefined),
  command: ([option, ...names]) =>
    option === '-v' && names.length === 1 && names.every((name) => NAME.test(name)) ? EMPTY_USE : undefined,
  echo: () => EMPTY_USE,
  // Other conversions include `%n`, which sets a variable such as PATH.
  printf: ([format = '']) => (PRINTF_FORMAT.test(format) ? EMPTY_USE : undefined),
  test: useOfTest,
  '[': (args) => (args.at(-1) === ']' ? useOfTest(args.slice(0, -1)) : undefined),
  egrep: useOfGrep,
  fgrep: useOfGrep,
  find: useOfFind,
  git: useOfGit,
  grep: useOfGrep,
}

const PRINTF_FORMAT = /^(?!-)(?:[^%]|%%|%[-0]?\d{0,3}(?:\.\d{1,3})?[bcdefgiosuxX])*$/

const FILE_TEST = /^-[defhLrswx]$/

/** Accepts one file test or one comparison of texts. */
function useOfTest(args: readonly string[]): CoreUse | undefined {
  const [first = '', second = '', third] = args[0] === '!' ? args.slice(1) : args
  const count = args.length - (args[0] === '!' ? 1 : 0)
  if (count === 2 && FILE_TEST.test(first) && isPath(second)) return { ...EMPTY_USE, entries: [second] }
  if (count === 2 && /^-[nz]$/.test(first)) return EMPTY_USE
  const isComparison =
    count === 3 && /^(?:=|==|!=)$/.test(second) && [first, third].every((word) => NO_OPTION.test(word ?? ''))
  return isComparison ? EMPTY_USE : undefined
}

function useOfGrep(args: readonly string[]): CoreUse | undefined {
  const readResult = readArguments(GREP, args)
  if (readResult === undefined) return undefined
  const { operands, letters } = readResult
  const paths = letters.has('e') ? operands : operands.slice(1)
  if (!paths.every(isPath)) return undefined
  const isRecursive = letters.has('r') || args.includes('--recursive')
  if (!isRecursive) return { ...EMPTY_USE, files: paths }
  return { ...EMPTY_USE, entries: paths.length === 0 ? ['.'] : paths }
}

const FIND_TESTS: Readonly<Record<string, RegExp>> = {
  ...{ '-name': ANY_TEXT, '-iname': ANY_TEXT, '-path': ANY_TEXT, '-ipath': ANY_TEXT, '-type': /^[fdl](?:,[fdl])*$/ },
  ...{ '-maxdepth': COUNT, '-mindepth': COUNT, '-size': /^[-+]?\d+[ckMG]?$/, '-mtime': NUMBER, '-mmin': NUMBER },
}
const FIND_WORDS = new Set(['-empty', '-not', '!', '-o', '-or', '-a', '-and', '-print', '-prune', '(', ')'])

/** Accepts folders, then tests. `--` is refused, because `find` still reads actions after it. */
function useOfFind(args: readonly string[]): CoreUse | undefined {
  const end = args.findIndex((arg) => /^[-!()]/.test(arg))
  const folders = args.slice(0, end < 0 ? args.length : end)
  if (!folders.every(isPath)) return undefined
  for (let at = folders.length; at < args.length; at++) {
    const word = args[at] ?? ''
    if (FIND_WORDS.has(word)) continue
    const value = Object.hasOwn(FIND_TESTS, word) ? FIND_TESTS[word] : undefined
    const argument = args[++at]
    if (value === undefined || argument === undefined || !value.test(argument)) return undefined
  }
  return { ...EMPTY_USE, entries: folders.length === 0 ? ['.'] : folders }
}

function useOfGit(args: readonly string[]): CoreUse | undefined {
  const [subcommand = '', ...words] = args[0] === '--no-pager' ? args.slice(1) : args
  if (args.length === 1 && (subcommand === '--version' || subcommand === 'version')) return EMPTY_USE
  const program = Object.hasOwn(GIT, subcommand) ? GIT[subcommand] : undefined
  const end = words.indexOf('--')
  const paths = end < 0 ? [] : words.slice(end + 1)
  if (paths.length > 0 && !(GIT_PATH_COMMANDS.has(subcommand) && paths.every((path) => PLAIN_PATH.test(path))))
    return undefined
  const isAccepted =
    program !== undefined && readArguments(program, end < 0 ? words : words.slice(0, end)) !== undefined
  return isAccepted ? { ...EMPTY_USE, usesRepository: true } : undefined
}

/** Subcommands of git that print the content of files in the repository that no word names. */
const PRINTING_GIT_SUBCOMMANDS = new Set(['log', 'diff'])

/** Whether a command of the core prints files that its words do not name, because git finds them in the repository. */
export function printsUnnamedFiles([name, ...args]: readonly string[]): boolean {
  return name === 'git' && args.some((word) => PRINTING_GIT_SUBCOMMANDS.has(word))
}

/** Whether a word names a file in any program: it is not empty, not an option, and not `-`, the input. */
function isPath(word: string | undefined): word is string {
  return word !== undefined && word !== '' && NO_OPTION.test(word)
}

interface CoreArguments {
  readonly operands: readonly string[]
  /** The letters of the short options. */
  readonly letters: ReadonlySet<string>
}

const MAX_OPERANDS = 200

/** Returns the arguments of a program; undefined if an option, a value, an operand or their number is not accepted. */
function readArguments(program: CoreProgram, args: readonly string[]): CoreArguments | undefined {
  const operands: string[] = []
  const letters = new Set<string>()
  let at = 0
  while (at < args.length) {
    const arg = args[at] ?? ''
    const usedWords = arg.startsWith('-') ? countOptionWords(program, arg, args[at + 1], letters) : 1
    if (usedWords === 0) return undefined
    if (!arg.startsWith('-')) operands.push(arg)
    at += usedWords
  }
  return areOperandsAccepted(program, operands) ? { operands, letters } : undefined
}

function areOperandsAccepted(program: CoreProgram, operands: readonly string[]): boolean {
  const { operands: kind, pattern = NO_OPTION, min = 0, max = kind === undefined ? 0 : MAX_OPERANDS } = program
  if (operands.length < min || operands.length > max) return false
  return operands.every((word) => (kind === 'text' ? pattern.test(word) : isPath(word)))
}

/** Returns how many words an option takes, itself included; 0 if it is not accepted. Adds the letters of short options. */
function countOptionWords(
  program: CoreProgram,
  arg: string,
  nextWord: string | undefined,
  letters: Set<string>,
): number {
  if (program.exact?.test(arg) === true) return 1
  if (arg.startsWith('--')) return isLongOptionAccepted(program, arg) ? 1 : 0
  const { flags = '', numbers = '', texts = '' } = program
  const lastAt = [...arg].findIndex((letter, at) => at > 0 && !flags.includes(letter))
  const optionLetters = lastAt < 0 ? arg.slice(1) : arg.slice(1, lastAt + 1)
  for (const letter of optionLetters) letters.add(letter)
  if (lastAt < 0) return optionLetters === '' ? 0 : 1
  const letter = arg.charAt(lastAt)
  const value = numbers.includes(letter) ? NUMBER : texts.includes(letter) ? ANY_TEXT : undefined
  return value === undefined ? 0 : countValueWords(value, arg.slice(lastAt + 1), nextWord)
}

function countValueWords(value: RegExp, attachedValue: string, nextWord: string | undefined): number {
  if (attachedValue !== '') return value.test(attachedValue) ? 1 : 0
  // In another version of the program the option may take no value. Then a word with a dash would be an option.
  const isValue = nextWord !== undefined && value.test(nextWord) && (value === NUMBER || NO_OPTION.test(nextWord))
  return isValue ? 2 : 0
}

function isLongOptionAccepted({ words = '', choices = {} }: CoreProgram, arg: string): boolean {
  const equals = arg.indexOf('=')
  if (equals < 0) return words.split(' ').includes(arg)
  const name = arg.slice(0, equals)
  return Object.hasOwn(choices, name) && choices[name]?.test(arg.slice(equals + 1)) === true
}
