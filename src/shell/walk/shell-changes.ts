import type { CommandEffects } from '../programs/effects.js'
import {
  isHarmlessVariable,
  isLookupVariable,
  isScriptVariable,
  isShellVariable,
} from '../words/environment-variables.js'
import { isKnown, knownPartOf, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { Variables } from '../words/variables.js'
import type { ExpandedCommand } from './walker.js'

/**
 * How a command changes the meaning of later commands: `environment` if it sets a variable that programs may read, `lookup` if
 * programs may run that the words do not name.
 */
export type ShellChange = 'environment' | 'lookup'

/** Builtins that give variables values and attributes. */
const DECLARING_BUILTINS: ReadonlySet<string> = new Set('export declare typeset local readonly'.split(' '))
/** Whether a command gives variables values, so that its words are assignments. */
export function isDeclaration([program]: readonly ShellWord[]): boolean {
  return program !== undefined && DECLARING_BUILTINS.has(program.text)
}

/** Other builtins whose operands are names of variables. The shell evaluates a subscript in such a name. */
const NAME_SETTERS: ReadonlySet<string> = new Set('read mapfile readarray unset getopts wait'.split(' '))

/** Finds how a builtin changes the shell beyond what the tables list as harmless. */
export function findShellChange(
  { words, assignments }: Pick<ExpandedCommand, 'words' | 'assignments'>,
  { problems }: Pick<CommandEffects, 'problems'>,
  variables: Variables,
): ShellChange | undefined {
  const program = words[0]
  if (program === undefined) return undefined
  if (assignments.some((word) => changesLookup(nameOf(word), word))) return 'lookup'
  if (program.text === 'set') return hasOnlyHarmlessModes(words.slice(1)) ? undefined : 'lookup'
  return problems.length === 0 ? undefined : changeOfBuiltin(program.text, words.slice(1), variables)
}

const CHANGES_LOOKUP: ReadonlySet<string> = new Set(['let', 'alias', 'hash', 'enable'])

function changeOfBuiltin(name: string, args: readonly ShellWord[], variables: Variables): ShellChange | undefined {
  if (DECLARING_BUILTINS.has(name)) return changeOfDeclarations(args, variables)
  if (NAME_SETTERS.has(name)) return strongestChange(args.map(changeOfName))
  if (name === 'printf') return setsVariable(args) ? changeOfPrintf(args) : undefined
  if (name === 'test' || name === '[') return args.some(isEvaluatedName) ? 'lookup' : undefined
  if (name === 'shopt') return args.every(isHarmlessShellOption) ? undefined : 'lookup'
  // `let` evaluates its arguments as code; `alias`, `hash -p` and `enable -f` change which program a name runs.
  return args.length > 0 && CHANGES_LOOKUP.has(name) ? 'lookup' : undefined
}

/** Options of `shopt` that the analysis takes into account, or that change neither names nor folders. */
const HARMLESS_SHELL_OPTIONS: ReadonlySet<string> = new Set(
  (
    'nullglob failglob globstar dotglob nocaseglob nocasematch extglob expand_aliases inherit_errexit lastpipe ' +
    'checkwinsize cmdhist histappend huponexit globasciiranges'
  ).split(' '),
)

/**
 * Whether an option of `shopt` is harmless. Others, such as `cdable_vars`, change the folder that `cd` selects or the program
 * that a word runs.
 */
function isHarmlessShellOption(word: ShellWord): boolean {
  return isKnown(word) && (word.text.startsWith('-') || HARMLESS_SHELL_OPTIONS.has(word.text))
}

/** Options of `set` that change neither what a word means nor which variables programs get. */
const HARMLESS_MODES = /^[-+](?:[euxvfnbhmCE]*|[euxvfnbhmCE]*o[euxvfnbhmCE]*)$/
const HARMLESS_MODE_NAMES: ReadonlySet<string> = new Set(
  'errexit nounset xtrace verbose noglob noexec notify hashall monitor noclobber errtrace pipefail'.split(' '),
)

/** Whether `set` changes only harmless modes. With `-k`, for example, words after a program are variables for it. */
function hasOnlyHarmlessModes(args: readonly ShellWord[]): boolean {
  let at = 0
  for (let word = args[at]; word !== undefined; word = args[at]) {
    if (!isKnown(word)) return false
    if (/^(?:--?|[^-+].*|)$/s.test(word.text)) return true
    if (!HARMLESS_MODES.test(word.text)) return false
    const name = word.text.includes('o') ? args[at + 1] : undefined
    if (name !== undefined && !(isKnown(name) && HARMLESS_MODE_NAMES.has(name.text))) return false
    at += name === undefined ? 1 : 2
  }
  return true
}

/** The attributes exported, read-only, global and array. With others, the shell evaluates or changes values. */
const HARMLESS_ATTRIBUTES = /^[-+][xrgaA]+$|^-p$|^--$/
/** Text that the shell assigns as it is, whatever attributes the variable has. */
const LITERAL_VALUE = /^[^()[\]$`\\]*$/

/**
 * Finds the change by a builtin such as `declare`. It evaluates a value in parentheses as code if the variable is an array,
 * even if the value was quoted or comes from a variable.
 */
function changeOfDeclarations(args: readonly ShellWord[], variables: Variables): ShellChange | undefined {
  const options = args.filter(({ text }) => /^[-+]/.test(text))
  if (!options.every((word) => isKnown(word) && HARMLESS_ATTRIBUTES.test(word.text))) return 'lookup'
  const makesArray = options.some(({ text }) => /[aA]/.test(text))
  const operands = args.filter((word) => !options.includes(word))
  const isLiteral = (word: ShellWord) => hasLiteralValue(word, !makesArray, variables)
  return operands.every(isLiteral) ? strongestChange(operands.map(changeOfName)) : 'lookup'
}

/** Variables with text from the environment, which are never arrays. */
const ENVIRONMENT_NAME = /^(?:HOME|HOSTNAME|LANG|LANGUAGE|LC_[A-Z]+|PWD|OLDPWD|SHELL|TERM|TMPDIR|TZ)$/

function hasLiteralValue(word: ShellWord, mayBeUnknown: boolean, variables: Variables): boolean {
  const equals = word.text.indexOf('=')
  if (equals === -1 || word.isArray === true) return true
  const value = word.text.slice(equals + 1)
  if (isKnown(word)) return LITERAL_VALUE.test(value)
  const knownValue = knownPartOf(word).slice(equals + 1)
  if (!LITERAL_VALUE.test(knownValue)) return false
  const name = nameOf(word)
  if (name === undefined || (isShellVariable(name) && !ENVIRONMENT_NAME.test(name))) return false
  // A variable that is set nowhere else is not an array.
  return knownValue !== '' || (mayBeUnknown && variables.isSetOnce(name))
}

function changeOfName(word: ShellWord): ShellChange | undefined {
  const start = knownPartOf(word)
  if (isKnown(word) && /^[-+]/.test(start)) return undefined
  const name = nameOf(word)
  if (name === undefined) return 'lookup'
  const value = isKnown(word) ? word.text.slice(name.length + 1) : undefined
  if (changesLookup(name, word)) return 'lookup'
  return isScriptVariable(name) || isHarmlessVariable(name, value) ? undefined : 'environment'
}

/** Returns the name of the variable; undefined if it is known only at run time or has a subscript that is evaluated. */
function nameOf(word: ShellWord): string | undefined {
  const start = knownPartOf(word)
  const [, name, subscript, end] = /^([A-Za-z_]\w*)(\[\d+\])?\+?(=|$)/.exec(start) ?? []
  if (name === undefined || (end === '' && !isKnown(word))) return undefined
  // A subscript of `BASH_CMDS` or `BASH_ALIASES` is the name of a command.
  return subscript !== undefined && name.startsWith('BASH') ? undefined : name
}

function changesLookup(name: string | undefined, word: ShellWord): boolean {
  if (name === undefined) return false
  const value = isKnown(word) ? word.text.slice(name.length + 1) : undefined
  return isLookupVariable(name) && !isHarmlessVariable(name, value)
}

/** Whether `printf` may have the option `-v`, which must be followed by a name and a format. */
function setsVariable([first, second]: readonly ShellWord[]): boolean {
  if (first === undefined || second === undefined) return false
  return isKnown(first) ? first.text.startsWith('-v') : first.knownLength === 0 && first.cannotBeOption !== true
}

function changeOfPrintf([first, second]: readonly ShellWord[]): ShellChange | undefined {
  if (first === undefined || second === undefined || !isKnown(first)) return 'lookup'
  return changeOfName(first.text === '-v' ? second : toKnownWord(first.text.slice(2)))
}

/** Whether the word may be the operand of `-v` or `-R` and may have a subscript that is evaluated. */
function isEvaluatedName(word: ShellWord, index: number, words: readonly ShellWord[]): boolean {
  const previousWord = words[index - 1]
  return (
    previousWord !== undefined &&
    isKnown(previousWord) &&
    /^-[vR]$/.test(previousWord.text) &&
    nameOf(word) === undefined
  )
}

function strongestChange(changes: readonly (ShellChange | undefined)[]): ShellChange | undefined {
  return changes.includes('lookup') ? 'lookup' : changes.find((change) => change !== undefined)
}
