import { familyOf } from '../patterns/option-names.js'
import { isPathspecPattern } from '../programs/git-objects.js'
import { joinPath } from '../words/scope.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'
import { type ArgumentUse, findLaunchedIndex, mayBeScript, readsInputAsData, useOfArguments } from './argument-use.js'
import { mayLoadCode } from './loading-variables.js'
import { baseNameOf, hasOnlyNames, isOperand, withoutTexts } from './possible-programs.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Interpreters that run their first operand as a script. Later words are arguments of the script. */
const RUNS_SCRIPT = toSet(
  [
    'python python2 python3 pypy pypy3 ipython node nodejs deno bun ts-node tsx perl ruby irb php lua luajit tclsh wish expect',
    'osascript pwsh powershell cmd r rscript julia groovy scala ocaml ghc runghc ghci elixir iex erl clojure guile racket',
    'zsh ksh mksh fish csh tcsh bash sh dash ash rbash',
  ].join(' '),
)

/** Programs that run commands from their standard input, whatever their operands are. */
const RUNS_INPUT = toSet('vim vi view nvim ex ed emacs gnuplot gdb lldb sqlite3 psql mysql mariadb bc dc m4 busybox')

/** Programs that run code from their arguments, but from their standard input only if an option says so. */
const RUNS_ARGUMENTS = toSet('make gmake bmake just task ninja cmake awk gawk mawk nawk original-awk sed gsed')

/** Programs that run the code that they find in a folder. */
const RUNS_FOUND_CODE = /^(?:run-parts|pydoc[\d.]*)$/

function runsScript(program: string): boolean {
  return RUNS_SCRIPT.has(program) || RUNS_SCRIPT.has(familyOf(program))
}

/** What a command may run besides the programs that its tables list. */
export interface ArgumentEffects {
  /** It may run any program: it runs code, its input, or a script. */
  readonly runsAnything: boolean
  readonly use: ArgumentUse
  /** The index after the last argument that may name a program. */
  readonly end: number
}

/** Where the input of a command comes from, and what its subcommand is. */
interface CommandInput {
  /** Whether the standard input is a pipe, a file or a here-document. */
  readonly hasInput: boolean
  readonly verb: string
  /** The folders in which the command may run; undefined if unknown. */
  readonly folders: readonly string[] | undefined
}

/** Programs that run none of their arguments, but with some options their input. */
const READS_DATA_ONLY_WITHOUT = toSet('pytest py.test')

/** Options whose value is a configuration, which may name programs, in the same or the previous word. */
const CONFIGURATION_OPTION = /(?:^| )--?[\w-]*(?:conf|rc(?:[= ]|$))|^-c /

/** Finds which arguments a program may run. Code may run any program, because it can build names in many ways. */
export function findRunArguments(program: string, args: readonly ShellWord[], input: CommandInput): ArgumentEffects {
  const { hasInput, verb, folders } = input
  const programIndex = findLaunchedIndex(program, args)
  if (programIndex !== undefined) return findLaunched(args, programIndex, input)
  if (runsScript(program)) return findInterpreted(args, input)
  const end = args.length
  if (RUNS_FOUND_CODE.test(program)) return { runsAnything: true, use: 'commands', end }
  if (RUNS_INPUT.has(program) || RUNS_ARGUMENTS.has(program) || isEditor(program)) {
    const runsAnything =
      args.some((word) => isCodeArgument(program, word) || namesInput(word, folders)) ||
      (hasInput && !RUNS_ARGUMENTS.has(program))
    return { runsAnything, use: useOfArguments(program, verb, args), end }
  }
  const use = hasOnlyNames(program, verb) ? 'names' : useOfArguments(program, verb, args)
  const isConfigured = args.some(
    (word, at) => CONFIGURATION_OPTION.test(`${args[at - 1]?.text} ${word.text}`) && namesInputFile(word, folders),
  )
  const runsInput =
    (hasInput && !readsInputAsData(program, args) && (use !== 'data' || READS_DATA_ONLY_WITHOUT.has(program))) ||
    isConfigured
  const hasScript = use !== 'data' && !hasOnlyNames(program, verb) && hasScriptWord(withoutTexts(program, args))
  return { runsAnything: runsInput || hasScript, use, end }
}

function findLaunched(args: readonly ShellWord[], at: number, input: CommandInput): ArgumentEffects {
  const name = baseNameOf(args[at]?.text ?? '').replace(/(.)@.*/, '$1')
  const launchedArgs = args.slice(at + 1)
  const verb = launchedArgs.find(isOperand)?.text ?? ''
  const { runsAnything, use, end } = findRunArguments(name, launchedArgs, { ...input, verb })
  return { runsAnything, use: 'commands', end: at + 1 + (use === 'commands' ? end : 0) }
}

function findInterpreted(args: readonly ShellWord[], { hasInput, folders }: CommandInput): ArgumentEffects {
  const moduleOptionIndex = args.findIndex(({ text }) => /^-[A-Za-z]*m/.test(text))
  const script = args.findIndex((word, index) => isOperand(word) && !takesValue(args[index - 1]))
  if (moduleOptionIndex !== -1 && (script === -1 || moduleOptionIndex < script))
    return findModule(args, moduleOptionIndex, hasInput)
  const interpreterArgs = script === -1 ? args : args.slice(0, script + 1)
  const runsOwnCode = interpreterArgs.some(
    (word, index) =>
      isCodeWord(word) || namesInput(word, folders) || isCodeOption(args[index - 1]) || /(?:^|=)data:/.test(word.text),
  )
  const scriptArgs = args.slice(interpreterArgs.length)
  const runsCodeInScript = scriptArgs.some(
    ({ text }, index) => mayBeScript(text) && isCodeOption(scriptArgs[index - 1]),
  )
  const runsInput = hasInput && (script === -1 || scriptArgs.some(({ text }) => READS_CODE.test(text)))
  return { runsAnything: runsOwnCode || runsCodeInScript || runsInput, use: 'commands', end: interpreterArgs.length }
}

/** Arguments with which a script runs its input as code. */
const READS_CODE = /^(?:db)?(?:shell|console|repl|tinker|runner|sh)$/

/** Finds what `python3 -m MODULE` runs. */
function findModule(args: readonly ShellWord[], at: number, hasInput: boolean): ArgumentEffects {
  const attachedModule = /^-[A-Za-z]*?m(.*)/.exec(args[at]?.text ?? '')?.[1] ?? ''
  const isAttached = attachedModule !== ''
  const name = isAttached ? attachedModule : (args[at + 1]?.text ?? '')
  const end = isAttached ? at + 1 : at + 2
  const runsArgument = name === 'pip' && useOfArguments(name, '', args.slice(end)) === 'commands'
  if (DATA_MODULES.has(name) && !runsArgument) {
    const runsInput = hasInput && READS_DATA_ONLY_WITHOUT.has(name) && !readsInputAsData(name, args)
    return { runsAnything: runsInput, use: 'commands', end }
  }
  const hasCode = args.slice(end).some((word) => isKnown(word) && /\s/.test(word.text))
  const runsAnything = hasInput || runsArgument || hasCode || hasScriptWord(args.slice(end))
  return { runsAnything, use: 'commands', end: args.length }
}

/** Modules of Python that run neither their arguments nor their input. */
const DATA_MODULES = toSet(
  [
    'pytest unittest json.tool http.server pip venv virtualenv ensurepip build black mypy ruff flake8 isort pylint coverage',
    'py_compile compileall tabnanny tokenize ast dis zipfile tarfile gzip base64 calendar site sysconfig platform',
  ].join(' '),
)

function hasScriptWord(words: readonly ShellWord[]): boolean {
  return words.some((word) => isKnown(word) && (mayBeScript(word.text) || isLoadingSetting(word.text)))
}

/** Whether an argument sets a variable that loads code, as in `cross-env NODE_OPTIONS=--require=./x node y`. */
function isLoadingSetting(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*=/.test(text) && mayLoadCode(text)
}

const TAKES_VARIABLES = /^(?:[gb]?make|just|task|ninja)$/

/** Whether an argument gives a variable of make a value that runs other text, as in `COMPILE.c=perl x`. */
function isScriptVariable({ text }: ShellWord): boolean {
  const [, value = ''] = /^[^\s=]+=\s*(.*\s.*)$/s.exec(text) ?? []
  return mayBeScript(value)
}

const CODE_OPTION = /^-[A-Za-z]*[ceEr]$|^-p$|^--(?:eval|print|execute|command|expression|run)$/

function isCodeOption(word: ShellWord | undefined): boolean {
  return word !== undefined && CODE_OPTION.test(word.text) && word.text !== '-r' && word.text !== '-E'
}

/** Whether the word is an option whose value must not be mistaken for the script. */
function takesValue(word: ShellWord | undefined): boolean {
  return word !== undefined && /^-[A-Za-z]$|^--(?:require|import|loader)$/.test(word.text)
}

/** Characters that do not occur in the usual names of files, targets and options. */
const CODE_CHARACTER = /[^\w\s./~+:=@,%^*?[\]-]/

function isCodeWord(word: ShellWord): boolean {
  return isKnown(word) && CODE_CHARACTER.test(word.text)
}

/** Arguments that a program with its own language runs, but that contain only characters of names and patterns. */
const SQL = /^\s*(?:select|insert|update|delete|explain|pragma|with|create|drop|alter|show|describe|vacuum|analyze)\b/i

const EDITORS = toSet('vim ed red emacs emacsclient gdb gdbtui lldb gnuplot m4 busybox')

/** Whether a program is an editor or a debugger, which runs its options as commands. */
function isEditor(program: string): boolean {
  return EDITORS.has(familyOf(program))
}

/** Any option but those that only open files, and any command. */
const EDITOR_CODE = /^[+]|^-(?!(?:[oOpdRnt]|-version|-help|-readonly|nw|-no-window-system)$)|\s/

/** Whether an argument of a program with its own language may be code that builds names, or patterns that it expands. */
function isCodeArgument(program: string, word: ShellWord): boolean {
  if (TAKES_VARIABLES.test(program) && isScriptVariable(word)) return true
  if (isCodeWord(word) || (isEditor(program) && EDITOR_CODE.test(word.text))) return true
  const hasPattern = isKnown(word) && /\s/.test(word.text) && /[*?[]/.test(word.text)
  return hasPattern && !SQL.test(word.text) && !/^(?:[gmn]?awk|original-awk|g?sed)$/.test(program)
}

/** A path that leads to a file descriptor, or through links that the system makes. */
const INPUT_PATH = /^\/(?:dev\/(?:stdin|fd)(?:\/|$)|proc\/)/

/** Whether a word names the standard input, a file descriptor or a pipe. */
function namesInput(word: ShellWord, folders: readonly string[] | undefined): boolean {
  return /^(?:-|.*=-|-[A-Za-z]+-)$/.test(word.text) || namesInputFile(word, folders)
}

/** Whether a word, or the value of an option or variable, is the path of a file descriptor or a pipe. */
export function namesInputFile(word: ShellWord, folders: readonly string[] | undefined): boolean {
  if (word.isPipe === true) return true
  const { text } = word
  const isInDevices = folders?.every((folder) => !INPUT_PATH.test(`${folder}/fd`)) !== true
  if (!isInDevices && !/stdin|fd|proc/.test(text)) return false
  const slash = text.search(/\/|\.\./)
  const values = [text.slice(text.indexOf('=') + 1), ...(slash === -1 ? [] : [text.slice(slash)])]
  return values.some((value) =>
    (folders ?? ['/dev']).some((folder) => INPUT_PATH.test(joinPath(folder, value === '' ? '.' : value))),
  )
}

const LIST_OPTION =
  /^(?:-[A-Za-z]*[TK@]|--(?:files0?-from|from-file|input-file|stdin|stdin-paths|batch|batch-check|batch-command|pathspec-from-file|exclude-from|include-from|requirement)(?:=.*)?)$/
const OWN_LIST_OPTIONS: Readonly<Record<string, RegExp>> = { wget: /^-[a-z]*i/, pip: /^-[a-z]*r/, pip3: /^-[a-z]*r/ }
const READS_NAMES = toSet('patch cpio pax curl wget zip')

/** Whether a command reads file names from its input or from another file. */
export function namesFilesInData(program: string, args: readonly ShellWord[], hasInput: boolean): boolean {
  if (args.some(({ text }) => LIST_OPTION.test(text) || OWN_LIST_OPTIONS[program]?.test(text) === true)) return true
  if (program === 'git' && meansOtherFiles(args)) return true
  // The parts of a pattern in an address become names of files.
  if (program === 'curl' && args.some(({ text }) => /#\d|:\/\/.*[{[]/.test(text))) return true
  return (
    hasInput &&
    (READS_NAMES.has(program) || (program === 'git' && args.some(({ text }) => PATCH_SUBCOMMANDS.test(text))))
  )
}

/** Subcommands of git that read or change the files that their pathspecs mean. */
const TAKES_PATHSPECS = toSet('add am checkout checkout-index clean commit mv reset restore rm stash')

/** Whether git may change files that its arguments mean but do not name. */
function meansOtherFiles(args: readonly ShellWord[]): boolean {
  const subcommandIndex = args.findIndex(({ text }) => TAKES_PATHSPECS.has(text))
  if (subcommandIndex === -1) return false
  if (args[subcommandIndex]?.text === 'checkout-index' && args.some(({ text }) => /^-[a-z]*a|^--all$/.test(text)))
    return true
  return withoutTexts('git', args.slice(subcommandIndex + 1)).some(isPathspecPattern)
}

const PATCH_SUBCOMMANDS = /^(?:apply|am|fast-import|update-index|checkout-index|hash-object|cat-file)$/
