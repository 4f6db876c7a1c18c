import {
  type Assignment,
  type Command,
  type CommandArgument,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { counterOf } from './counting-loop.js'
import type { ShellWord } from './shell-word.js'
import { expandsToNumbers, printsNumber } from './substitution-output.js'

interface Bounds {
  readonly maxNodes: number
  /** The maximum nesting of scripts. */
  readonly maxDepth: number
}

/** The known values and properties of the variables of a script. */
export class Variables {
  /** The possible values found so far. A loop variable may have several. */
  readonly values = new Map<string, readonly string[]>()
  /** Variables that hold an unknown number or are empty. */
  readonly numericNames = new Set<string>()
  /** Loop variables that hold a file name, each with a word that describes where the file may be. */
  readonly fileNames = new Map<string, ShellWord>()
  private counts: ReadonlyMap<string, number> | 'any' | undefined
  private textCounts: ReadonlyMap<string, number> | 'any' | undefined

  constructor(
    private readonly script: ParsedScript,
    private readonly bounds: Bounds,
  ) {}

  /** Whether the script sets the variable in one place only, so that its value stays valid after that. */
  isSetOnce(name: string): boolean {
    const counts = this.count()
    return counts !== 'any' && counts.get(name) === 1
  }

  /** Whether the script may set the variable. */
  isSet(name: string): boolean {
    const counts = this.count()
    return counts === 'any' || counts.has(name)
  }

  /**
   * Whether the script may set the variable to something other than a number. Bash evaluates such a value in arithmetic, and
   * it may contain a substitution.
   */
  mayHoldText(name: string): boolean {
    this.textCounts ??= countVariables(this.script, this.bounds, findTextsSetByNode)
    return this.textCounts === 'any' || this.textCounts.has(name)
  }

  /** Reads the script when the first variable is used, because most scripts have none. */
  private count(): ReadonlyMap<string, number> | 'any' {
    this.counts ??= countVariables(this.script, this.bounds, findNamesSetByNode)
    return this.counts
  }
}

/** Builtins that may set variables in ways that are not analysed. */
const VARIABLE_SETTING_BUILTINS = new Set(
  'declare typeset local readonly mapfile readarray getopts let eval source . exec set shift unset coproc trap wait'.split(
    ' ',
  ),
)

/** Counts how often a script sets each variable; `any` if it may set any variable or exceeds the bounds. */
function countVariables(
  script: ParsedScript,
  { maxNodes, maxDepth }: Bounds,
  findNames: (node: SyntaxNode) => readonly string[] | undefined,
): ReadonlyMap<string, number> | 'any' {
  const counts = new Map<string, number>()
  let nodes = 0
  let depth = 0
  let maySetAny = false
  const visit = (node: SyntaxNode): void => {
    nodes += 1
    if (nodes > maxNodes || depth > maxDepth) maySetAny = true
    if (maySetAny) return
    const names = findNames(node)
    if (names === undefined) maySetAny = true
    else for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
    if (node.type === 'Script') depth += 1
    visitChildren(node, visit)
    if (node.type === 'Script') depth -= 1
  }
  visit(script)
  return maySetAny ? 'any' : counts
}

/** Returns the names of the variables that one node sets to texts; undefined if it may set any variable to one. */
function findTextsSetByNode(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case 'Assignment':
      return setsNumber(node) ? NO_NAMES : [node.name]
    case 'For':
    case 'Select':
      return areNumbers(node.wordlist) ? NO_NAMES : [node.name.value]
    case 'Default':
      return node.operator.endsWith('=') ? undefined : NO_NAMES
    case 'Command':
      return findTextsSetByCommand(node)
    default:
      return NO_NAMES
  }
}

/** Builtins that set variables only to numbers or to the values in their arguments, which are assignments. */
const ASSIGNING_BUILTINS = new Set('declare typeset local readonly set shift unset trap wait exec let'.split(' '))

function findTextsSetByCommand(node: Command): readonly string[] | undefined {
  const { name, args } = node
  if (name === undefined || !ASSIGNING_BUILTINS.has(literalTextOf(name) ?? '')) return findNamesSetByCommand(node)
  // An unquoted assignment is a node of its own and is counted there.
  return args.some((arg) => arg.type === 'Word' && (literalTextOf(arg) ?? '=').includes('=')) ? undefined : NO_NAMES
}

const NUMERIC_VALUE = /^(?:-?\d+|)$/

function setsNumber({ value, append, index }: Assignment): boolean {
  return append !== true && index === undefined && value.type === 'Word' && isNumber(value)
}

function areNumbers(words: readonly Word[] | undefined): boolean {
  return words?.every((word) => isNumber(word) || expandsToNumbers(word)) === true
}

/** Whether a word is a number, an arithmetic expansion, or a substitution that prints a number. */
function isNumber(word: Word): boolean {
  const [part] = word.parts?.length === 1 ? word.parts : []
  const innerPart = part?.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts[0] : part
  if (innerPart?.type === 'ArithmeticExpansion') return true
  if (innerPart?.type === 'CommandExpansion') return printsNumber(innerPart.script)
  return NUMERIC_VALUE.test(literalTextOf(word) ?? 'text')
}

/** Visits the children of a node. Skips the initialiser and the update of a counting `for` loop: the loop itself already counts as one assignment of its counter. */
function visitChildren(node: SyntaxNode, visit: (child: SyntaxNode) => void): void {
  if (node.type !== 'ArithmeticFor' || counterOf(node) === undefined) {
    forEachChild(node, visit)
    return
  }
  if (node.test !== undefined) visit(node.test)
  visit(node.body)
}

const NO_NAMES: readonly string[] = []

/** Returns the names of the variables that one node sets; undefined if it may set any variable. */
function findNamesSetByNode(node: SyntaxNode): readonly string[] | undefined {
  switch (node.type) {
    case 'Assignment':
      // Counted twice, because an appended or indexed variable has no single value.
      return node.append === true || node.index !== undefined ? [node.name, node.name] : [node.name]
    case 'For':
    case 'Select':
      return [node.name.value]
    case 'ArithmeticFor':
      return [counterOf(node) ?? []].flat()
    case 'FileDescriptorVariable':
      return [node.name]
    case 'Default':
      return node.operator.endsWith('=') ? undefined : NO_NAMES
    case 'ArithmeticUnary':
    case 'ArithmeticBinary':
      return /^(?:\+\+|--)$|=$/.test(node.operator) && !/^(?:[=!<>]=)$/.test(node.operator) ? undefined : NO_NAMES
    case 'Command':
      return findNamesSetByCommand(node)
    default:
      return NO_NAMES
  }
}

function findNamesSetByCommand({ name, args }: Command): readonly string[] | undefined {
  if (name === undefined) return NO_NAMES
  const program = name.text === '[' ? name.text : literalTextOf(name)
  if (program === undefined) return undefined
  if (program === 'printf') return mayStartWithDash(args[0]) ? undefined : NO_NAMES
  if (program === 'export') return findNamesSetByExport(args)
  if (program === 'read') return findNamesSetByRead(args)
  // `command -v` only looks up a name.
  if (program === 'command' && /^-[vV]$/.test(args[0]?.text ?? '')) return NO_NAMES
  if (BUILTIN_WRAPPERS.has(program)) return args.some(mayBeSetter) ? undefined : NO_NAMES
  return VARIABLE_SETTING_BUILTINS.has(program) ? undefined : NO_NAMES
}

/** Builtins that run another builtin. */
const BUILTIN_WRAPPERS = new Set(['command', 'builtin'])

function mayBeSetter(arg: CommandArgument): boolean {
  const text = arg.type === 'Word' ? literalTextOf(arg) : undefined
  return (
    text === undefined ||
    text === 'read' ||
    text === 'printf' ||
    text === 'export' ||
    BUILTIN_WRAPPERS.has(text) ||
    VARIABLE_SETTING_BUILTINS.has(text)
  )
}

/** Whether the word may be an option such as `-v`, which sets a variable. */
function mayStartWithDash(arg: CommandArgument | undefined): boolean {
  if (arg === undefined) return false
  const text = arg.type === 'Word' ? (literalTextOf(arg) ?? literalStartOf(arg)) : arg.text
  return text === undefined || text.startsWith('-')
}

/** Returns the text before the first expansion of a word, even inside quotes; undefined if the word starts with an expansion. */
function literalStartOf({ parts, text }: Word): string | undefined {
  const [part] = parts ?? []
  if (part === undefined) return /^[~{*?[]/.test(text) ? undefined : text
  const firstPart = part.type === 'DoubleQuoted' ? part.parts[0] : part
  if (firstPart?.type !== 'Literal' && firstPart?.type !== 'SingleQuoted') return undefined
  return firstPart.value === '' || /^[~{*?[]/.test(firstPart.value) ? undefined : firstPart.value
}

/** Returns the names of an `export`, each twice, because it may give them other values. Undefined if a name is not literal. */
function findNamesSetByExport(args: readonly CommandArgument[]): readonly string[] | undefined {
  // An unquoted assignment is a node of its own and is counted there.
  const texts = args.flatMap((arg) => (arg.type === 'Word' ? [literalTextOf(arg)] : []))
  if (texts.includes(undefined)) return undefined
  const names = texts.flatMap((text) => (text?.includes('=') === true ? [text.slice(0, text.indexOf('='))] : []))
  return [...names, ...names].map((name) => name.replace(/\W.*$/s, ''))
}

/** Returns the words of a `read`, which include its variable names; undefined if a word is not literal. */
function findNamesSetByRead(args: readonly CommandArgument[]): readonly string[] | undefined {
  const texts = args.map((arg) => (arg.type === 'Word' ? literalTextOf(arg) : undefined))
  if (texts.some((text) => text === undefined || /^-.*a./s.test(text))) return undefined
  return texts.map(String)
}

/** Returns the text of a word without expansions and globs; undefined for any other word. */
function literalTextOf(word: Word): string | undefined {
  if (word.parts === undefined) return /[~{*?[]/.test(word.text) ? undefined : word.value
  const isPlain = word.parts.every(
    (part) =>
      part.type === 'SingleQuoted' ||
      part.type === 'AnsiCQuoted' ||
      (part.type === 'Literal' && !/[~{*?[]/.test(part.text)) ||
      (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  )
  return isPlain ? word.value : undefined
}
