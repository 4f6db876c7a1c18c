import { isKnown, knownPartOf, type ShellWord } from '../words/shell-word.js'
import {
  CODE_PATH,
  DEPENDENCY_FOLDER,
  isOperand,
  isPlainWord,
  MODULE,
  PLAIN_TEXT,
  PLAIN_WORD,
  SCRIPT_FILE,
} from './patterns.js'
import type { OrdinaryUse } from './use.js'

/** An ordinary command of a project in a plain form. */
export interface OrdinaryCommand {
  readonly use: OrdinaryUse
  /** How the command uses the folders among its operands. */
  readonly folders: OrdinaryUse['folders']
  /** Whether the command uses the folder in which it runs, even if no word names it. */
  readonly usesWorkingFolder: boolean
  /** The indexes of files beside which the command may write others. */
  readonly writesBesideAt: readonly number[]
  /** Whether the command writes files that another command may run. */
  readonly changesFiles: boolean
  /** The index of the script of the project that runs. */
  readonly scriptAt?: number | undefined
  /** Whether a value that is known only at run time may name a file that is read. */
  readonly usesAnyFile?: true | undefined
  /** Whether a script gets arguments, which may make it run its input: `manage.py shell`. */
  readonly hasScriptArguments: boolean
  /** The index of the first word of the command that this one runs. */
  readonly commandAt?: number | undefined
  /** Files and folders with code or settings that options name. */
  readonly codePaths: readonly string[]
  /** Words and values of options that may name files and folders with code, such as tests and reporters. */
  readonly loadedTexts: readonly string[]
  /** The indexes of words that are commands themselves. */
  readonly scriptsAt: readonly number[]
  /** The indexes of the words that may name a program: a script, and the arguments of a script or container. */
  readonly programsAt: readonly number[]
}

type OptionKind =
  | 'flag'
  | 'value'
  | 'text'
  | 'dataText'
  | 'module'
  | 'config'
  | 'rewrite'
  | 'output'
  | 'download'
  | 'command'

type OptionKinds = ReadonlyMap<string, OptionKind>

const cachedOptions = new WeakMap<OrdinaryUse, OptionKinds>()

/** Returns the options of a use by name. They are compiled on first use, because most programs are never used. */
function optionsOf(use: OrdinaryUse): OptionKinds {
  const cachedKinds = cachedOptions.get(use)
  if (cachedKinds !== undefined) return cachedKinds
  const names: readonly (readonly [OptionKind, string | undefined])[] = [
    ['flag', use.flags],
    ['value', use.values],
    ['text', use.texts],
    ['dataText', use.dataTexts],
    ['module', use.modules],
    ['config', use.configs],
    ['rewrite', use.rewrites],
    ['output', use.outputs],
    ['download', use.downloads],
    ['command', use.commandOption],
  ]
  const options = names.flatMap(([kind, text = '']) => text.split(' ').map((name) => [name, kind] as const))
  const kinds = new Map(options.filter(([name]) => name !== ''))
  cachedOptions.set(use, kinds)
  return kinds
}

interface ParsedOption {
  readonly kind: OptionKind
  /** The index after the option and its value. */
  readonly at: number
  readonly value?: string | undefined
}

const hasNoValue = (kind: OptionKind) => kind === 'flag' || kind === 'rewrite'
const patternOf = (kind: OptionKind) => (kind === 'module' ? MODULE : kind === 'config' ? CODE_PATH : PLAIN_WORD)
const isText = (kind: OptionKind | undefined) => kind === 'text' || kind === 'dataText'
const isValue = (kind: OptionKind, text: string) => isText(kind) || patternOf(kind).test(text)

/** Reads an option; undefined unless it is listed and its value is plain. */
export function readOption(use: OrdinaryUse, words: readonly ShellWord[], at: number): ParsedOption | undefined {
  const options = optionsOf(use)
  const word = words[at]
  if (word === undefined) return undefined
  const { text } = word
  const equals = text.indexOf('=')
  const kind = options.get(text) ?? options.get(equals === -1 ? text : text.slice(0, equals))
  if (!isKnown(word) && !isText(kind)) return undefined
  if (kind === undefined) return readUnlisted(use, options, words, at)
  if (kind === 'command') return options.has(text) ? { kind, at: at + 1 } : undefined
  if (options.has(text) && hasNoValue(kind)) return { kind, at: at + 1 }
  if (equals !== -1) return readAttached(kind, text.slice(equals + 1), at)
  return readValue(kind, words, at)
}

/** Reads an option that is listed in another form: `--external:NAME`, or a cluster of letters. */
function readUnlisted(
  use: OrdinaryUse,
  options: OptionKinds,
  words: readonly ShellWord[],
  at: number,
): ParsedOption | undefined {
  const text = words[at]?.text ?? ''
  const colon = text.indexOf(':') + 1
  const kind = colon === 0 ? undefined : options.get(text.slice(0, colon))
  if (kind !== undefined) return readAttached(kind, text.slice(colon), at)
  return text.startsWith('--') || use.hasSingleDashOptions === true ? undefined : readCluster(options, words, at, text)
}

function readAttached(kind: OptionKind, value: string, at: number): ParsedOption | undefined {
  return isValue(kind, value) ? { kind, at: at + 1, value } : undefined
}

function readValue(kind: OptionKind, words: readonly ShellWord[], at: number): ParsedOption | undefined {
  const value = words[at + 1]
  // An option such as `-c` or `-j` may have no value.
  if (value === undefined) return { kind, at: at + 1 }
  if (isText(kind)) return value.spread === 'one' ? { kind, at: at + 2 } : undefined
  if (value.text.startsWith('-')) return { kind, at: at + 1 }
  return isPlainWord(value, patternOf(kind)) ? { kind, at: at + 2, value: value.text } : undefined
}

/** Reads `-xvf` and `-j4`. */
function readCluster(
  options: OptionKinds,
  words: readonly ShellWord[],
  at: number,
  text: string,
): ParsedOption | undefined {
  let strongestKind: OptionKind = 'flag'
  for (let letter = 1; letter < text.length; letter += 1) {
    const kind = options.get(`-${text[letter]}`)
    if (kind === undefined || kind === 'command') return undefined
    if (kind !== 'flag') strongestKind = kind
    if (hasNoValue(kind)) continue
    if (letter + 1 === text.length) return readValue(kind, words, at)
    return readAttached(kind, text.slice(letter + 1), at)
  }
  return text.length > 1 ? { kind: strongestKind, at: at + 1 } : undefined
}

/** Reads the arguments of a use, which begin at the index `start`; undefined unless all of them are plain. */
export function readArguments(
  use: OrdinaryUse,
  words: readonly ShellWord[],
  start: number,
  /** Files and folders with code that options before the subcommand name. */
  codePaths: readonly string[] = [],
): OrdinaryCommand | undefined {
  const reader = new ArgumentReader(use, words, start, codePaths)
  return reader.read()
}

/** Whether the unknown value of an option such as `-d` may be the name of a file after `@`. */
function mayNameDataFile(words: readonly ShellWord[]): boolean {
  const [option, value] = words
  if (value === undefined) return option !== undefined && !isKnown(option)
  if (isKnown(value) || value.alternatives !== undefined) return false
  // The text of `--data-urlencode` may also be `name@file`, unless it is `name=text`.
  const text = option?.text === '--data-urlencode' ? /^[^@]*=/ : /^[^@]/
  return !text.test(knownPartOf(value))
}

/** Names of build files and configurations. */
const CONFIGURATION =
  /(?:^|[/=:])(?:[A-Z][A-Za-z]*file|(?:GNU)?[Mm]akefile|[\w.-]*(?:\.(?:json|mk|ya?ml|toml|cfg|ini|sh|py|lock)|rc|config\.\w+|file\.[jt]s))$/

/** Subcommands of linters that the tables list without any, such as `ruff check` and `golangci-lint run`. */
const LINTER_SUBCOMMAND = /^(?:check|format|fmt|lint|run|fix|ci)$/

/** A file that a compiler compiles to another file, unlike declarations and settings. */
const COMPILED_FILE = /(?<!\.d)\.(?!d\.[cm]?ts$|json$)\w+$/

/** Options whose value is a list or pattern of files to skip. */
const DATA_OPTION = /^--?(?:[\w.]+-)?(?:ignore|exclude|include)/

/** Kinds of operands that may be files with code. Others are arguments of scripts, or are judged elsewhere. */
const LOADING_OPERANDS: ReadonlySet<string> = new Set(['any', 'files', 'targets', 'arguments'])

class ArgumentReader {
  private readonly operandsAt: number[] = []
  private readonly codePaths: string[]
  private readonly loadedTexts: string[] = []
  private folders: OrdinaryUse['folders']
  private isRewriting = false
  private changesFiles: boolean
  private usesAnyFile: true | undefined

  constructor(
    private readonly use: OrdinaryUse,
    private readonly words: readonly ShellWord[],
    private readonly start: number,
    codePaths: readonly string[],
  ) {
    this.codePaths = [...codePaths]
    this.folders = use.folders
    this.changesFiles = use.changesFiles === true
  }

  read(): OrdinaryCommand | undefined {
    const { operands, maxOperands = this.words.length } = this.use
    let at = this.start
    for (let word = this.words[at]; word !== undefined; word = this.words[at]) {
      if (isKnown(word) && word.text === '--') return this.readAfterDashes(at + 1)
      const next = this.isOption(word) ? this.readOption(at) : this.readOperand(word, at)
      if (next === undefined || typeof next === 'object') return next
      at = next
    }
    // Without a script, an interpreter runs its input.
    if (operands === 'script' && !this.words.some(({ text }) => text === '--test')) return undefined
    return this.operandsAt.length > maxOperands ? undefined : this.finish()
  }

  /** Returns the index after the option, or the whole command if another command follows. */
  private readOption(at: number): number | OrdinaryCommand | undefined {
    const option = readOption(this.use, this.words, at)
    if (option?.kind === 'command') return this.readCommand(option.at)
    if (option === undefined) return undefined
    this.addOption(option)
    const { kind, value } = option
    const mayLoad = (kind === 'value' || kind === 'flag') && !DATA_OPTION.test(this.words[at]?.text ?? '')
    if (mayLoad && value !== undefined) this.loadedTexts.push(value)
    if (option.kind === 'dataText' && mayNameDataFile(this.words.slice(at, option.at))) this.usesAnyFile = true
    return option.at
  }

  private isOption({ text }: ShellWord): boolean {
    const { operands, passesOptions } = this.use
    if (operands === 'arguments' || (passesOptions === true && this.operandsAt.length > 0)) return false
    return text.startsWith('-') && text !== '-'
  }

  /** Whether a word names a file that configures or runs programs, so that writing it changes later commands. */
  private namesConfiguration(): boolean {
    if (this.folders !== 'whole' || this.use.operands === 'command') return false
    return this.words.slice(this.start).some(({ text }) => CONFIGURATION.test(text))
  }

  private addOption({ kind, value = '' }: ParsedOption): void {
    if (kind === 'config' || (kind === 'module' && value.includes('/'))) this.codePaths.push(value)
    if (kind === 'rewrite') {
      this.folders ??= this.use.rewritesWorkingFolder === true ? 'whole' : 'rewritten'
      this.isRewriting = true
    }
    if (kind === 'output' || kind === 'download') this.folders = 'whole'
    if (kind === 'download') this.changesFiles = true
  }

  /** Returns the index after the operand, or the whole command if all further words belong to the operand. */
  private readOperand(word: ShellWord, at: number): number | OrdinaryCommand | undefined {
    const { mayOmitDash, operands = 'any' } = this.use
    if (operands === 'command') return this.readCommand(at)
    if (operands === 'script') return this.readScript(at)
    if (mayOmitDash === true && at === this.start && isKnown(word) && /^[a-zA-Z]+$/.test(word.text))
      return readCluster(optionsOf(this.use), this.words, at, `-${word.text}`)?.at
    if (!isOperand(word, operands, this.operandsAt.length)) return undefined
    if (LOADING_OPERANDS.has(operands)) this.loadedTexts.push(word.text)
    this.operandsAt.push(at)
    return at + 1
  }

  /** Reads the words after `--`. */
  private readAfterDashes(at: number): OrdinaryCommand | undefined {
    const { operands = 'any', maxOperands } = this.use
    if (operands === 'command') return this.readCommand(at)
    if (operands === 'script') return this.readScript(at)
    // After `--`, git restores single files.
    if (operands === 'git' && maxOperands !== undefined) return undefined
    const start = this.operandsAt.length
    const laterWords = this.words.slice(at)
    if (!laterWords.every((word, index) => this.isPlainAfterDashes(word, start + index))) return undefined
    const laterIndexes = laterWords.map((_, index) => at + index)
    this.operandsAt.push(...laterIndexes)
    // The arguments of a script or program may be a command that it runs.
    const programsAt = operands === 'any' ? laterIndexes : []
    return this.finish({ programsAt: [...this.listPrograms(), ...programsAt] })
  }

  /** Whether a word after `--` is an operand that would be accepted before it, or a plain argument for a script. */
  private isPlainAfterDashes(word: ShellWord, index: number): boolean {
    const { operands = 'any' } = this.use
    if (operands === 'any') return isPlainWord(word, PLAIN_TEXT)
    // `cmake --build` passes the words on to make.
    if (operands === 'targets' && /^-(?![jks]\d*$)/.test(word.text)) return false
    return isOperand(word, operands, index)
  }

  /** Reads the command that a launcher runs, which may follow variables as in `cross-env`. It is judged on its own. */
  private readCommand(at: number): OrdinaryCommand | undefined {
    const command = this.words[at]
    if (command === undefined || !isKnown(command) || command.text.startsWith('-')) return undefined
    return this.finish({ commandAt: at })
  }

  /** Reads a script and its arguments. A script in a folder of dependencies counts as the program of that dependency. */
  private readScript(at: number): OrdinaryCommand | undefined {
    const [script, ...args] = this.words.slice(at)
    if (script === undefined) return undefined
    if (isKnown(script) && DEPENDENCY_FOLDER.test(script.text)) return this.finish({ commandAt: at })
    if (!isPlainWord(script, SCRIPT_FILE) || !args.every((word) => isPlainWord(word, PLAIN_TEXT))) return undefined
    // The word after `--` is not the value of an option.
    const isValueAt = (index: number) => index > at && /^-(?!-$)/.test(this.words[index - 1]?.text ?? '')
    const programsAt = [script, ...args].flatMap((_, index) => (isValueAt(at + index) ? [] : [at + index]))
    // The other operands of `node --test` are tests, too.
    if (this.words.slice(0, at).some(({ text }) => text === '--test'))
      this.loadedTexts.push(...args.map(({ text }) => text))
    return this.finish({ programsAt, scriptAt: at, hasScriptArguments: args.length > 0 })
  }

  /**
   * Whether the command changes sources in the working folder, because no word names a file or folder. A word after an option
   * may be its value.
   */
  private rewritesWorkingFolder(): boolean {
    if (!this.isRewriting) return false
    const { rewritesWorkingFolder, usesWholeProject } = this.use
    if (rewritesWorkingFolder === true || usesWholeProject === true) return true
    return !this.operandsAt.some((at) => {
      const previousText = this.words[at - 1]?.text ?? ''
      const mayBeValue = previousText.startsWith('-') && !optionsOf(this.use).has(previousText)
      return !mayBeValue && !LINTER_SUBCOMMAND.test(this.words[at]?.text ?? '')
    })
  }

  private printsFiles(): boolean {
    const options = this.use.printsUnless?.split(' ')
    return options !== undefined && !this.words.some(({ text }) => options.includes(text))
  }

  private listFilesWithOthersBeside(): readonly number[] {
    if (this.use.writesBeside !== true || this.words.some(({ text }) => text === '--noEmit')) return []
    return this.operandsAt.filter((at) => COMPILED_FILE.test(this.words[at]?.text ?? ''))
  }

  private finish(overrides: Partial<OrdinaryCommand> = {}): OrdinaryCommand {
    const writesBesideAt = this.listFilesWithOthersBeside()
    return {
      use: this.use,
      folders: writesBesideAt.length > 0 || this.printsFiles() ? 'whole' : this.folders,
      usesWorkingFolder: this.use.usesWorkingFolder === true || this.rewritesWorkingFolder(),
      writesBesideAt,
      changesFiles: this.changesFiles || this.namesConfiguration(),
      usesAnyFile: this.usesAnyFile,
      codePaths: this.codePaths,
      loadedTexts: this.loadedTexts,
      hasScriptArguments: false,
      scriptsAt: this.use.operands === 'commands' ? this.operandsAt : [],
      programsAt: this.listPrograms(),
      ...overrides,
    }
  }

  /**
   * Returns the indexes of the words after the name of a script, a host or a container. They may be a command that runs there.
   */
  private listPrograms(): readonly number[] {
    const { operands, passesOperands } = this.use
    const [first] = this.operandsAt
    if (passesOperands === true) return this.operandsAt
    if (operands !== 'scriptName' && operands !== 'remoteCommand' && operands !== 'arguments') return []
    const start = operands === 'arguments' ? this.start : first === undefined ? this.words.length : first + 1
    return Array.from({ length: this.words.length - start }, (_, at) => start + at)
  }
}
