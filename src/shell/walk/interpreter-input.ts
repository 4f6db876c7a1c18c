import { isKnown, type ShellWord } from '../words/shell-word.js'
import { isOperand } from './possible-programs.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Interpreters that run their first operand as a script; what follows belongs to the script. */
const RUNS_SCRIPT = toSet(
  [
    'python python2 python3 pypy pypy3 ipython node nodejs deno bun ts-node tsx perl ruby irb php lua luajit tclsh wish expect',
    'osascript pwsh powershell cmd r rscript julia groovy scala ocaml ghc runghc ghci elixir iex erl clojure guile racket',
    'zsh ksh mksh fish csh tcsh bash sh dash ash rbash',
  ].join(' '),
)

/** Programs that run commands of their standard input, whatever their operands are. */
const RUNS_INPUT = toSet('vim vi view nvim ex ed emacs gnuplot gdb lldb sqlite3 psql mysql mariadb bc dc m4 busybox')

/** Programs that run text of their arguments, but not of their standard input, unless an option says so. */
const RUNS_ARGUMENTS = toSet('make gmake bmake just task ninja cmake awk gawk mawk nawk original-awk sed gsed')

function runsScript(program: string): boolean {
  return RUNS_SCRIPT.has(program) || /^(?:python|perl|ruby|lua|php|node)[0-9.]+$/.test(program)
}

/**
 * Whether an interpreter runs code that stands on the command line or comes from its input. Code can build the name of a
 * program in many ways, so it may run any.
 */
export function runsCode(program: string, args: readonly ShellWord[], hasInput: boolean): boolean {
  const isInterpreter = runsScript(program)
  if (!isInterpreter && !RUNS_INPUT.has(program) && !RUNS_ARGUMENTS.has(program)) return false
  if (!isInterpreter) {
    return args.some((word) => isCodeWord(word) || namesInput(word)) || (hasInput && RUNS_INPUT.has(program))
  }
  const script = args.findIndex((word, index) => isOperand(word) && !takesValue(args[index - 1]))
  const ownArgs = script === -1 ? args : args.slice(0, script + 1)
  if (ownArgs.some((word, index) => isCodeWord(word) || namesInput(word) || isCodeOption(args[index - 1]))) return true
  return script === -1 && hasInput && !ownArgs.some(({ text }) => /^-m./.test(text) || text === '-m')
}

const CODE_OPTION = /^-[A-Za-z]*[ceEr]$|^-p$|^--(?:eval|print|execute|command|expression|run)$/

function isCodeOption(word: ShellWord | undefined): boolean {
  return word !== undefined && CODE_OPTION.test(word.text) && word.text !== '-r' && word.text !== '-E'
}

/** Options whose value is not the script. */
function takesValue(word: ShellWord | undefined): boolean {
  return word !== undefined && /^-[A-Za-z]$|^--(?:require|import|loader)$/.test(word.text)
}

/** Characters that the names of files, targets and options do not contain. */
const CODE = /[^\w\s./~+:=@,%^*?[\]-]/

function isCodeWord(word: ShellWord): boolean {
  return isKnown(word) && CODE.test(word.text)
}

const INPUT_FILE = /^(?:-|.*(?:=|^-[A-Za-z]+)-|.*\/dev\/(?:stdin|fd\/.*)|.*\/proc\/[^/]+\/fd\/.*)$/

/** Whether a word names the standard input, a file descriptor or a pipe. */
function namesInput(word: ShellWord): boolean {
  return word.isPipe === true || INPUT_FILE.test(word.text)
}

const LIST_OPTION =
  /^(?:-[A-Za-z]*[TK@]|--(?:files0?-from|from-file|input-file|config|stdin|stdin-paths|batch|batch-check|batch-command|pathspec-from-file|exclude-from|include-from|requirement)(?:=.*)?)$/
const OWN_LIST_OPTIONS: Readonly<Record<string, RegExp>> = { wget: /^-[a-z]*i/, pip: /^-[a-z]*r/, pip3: /^-[a-z]*r/ }
const READS_NAMES = toSet('patch cpio pax curl wget zip')

/** Whether a command takes the names of files from its input or from another file. */
export function namesFilesInData(program: string, args: readonly ShellWord[], hasInput: boolean): boolean {
  if (args.some(({ text }) => LIST_OPTION.test(text) || OWN_LIST_OPTIONS[program]?.test(text) === true)) return true
  return hasInput && (READS_NAMES.has(program) || (program === 'git' && args.some(({ text }) => PATCHES.test(text))))
}

const PATCHES = /^(?:apply|am|fast-import|update-index|checkout-index|hash-object|cat-file)$/
