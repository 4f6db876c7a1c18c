import type { CommandEffects } from '../programs/effects.js'
import { isHarmlessVariable, isLookupVariable, isScriptVariable } from '../words/environment-variables.js'
import { isKnown, knownPartOf, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { ExpandedCommand } from './walker.js'

/**
 * How a command changes the meaning of later commands: `environment` if it sets a variable that programs may read, `lookup` if
 * programs may run that the words do not name.
 */
export type ShellChange = 'environment' | 'lookup'

/** Builtins whose operands are names of variables, with or without a value. The shell evaluates a subscript in such a name. */
const NAME_SETTERS: ReadonlySet<string> = new Set(
  'export declare typeset local readonly read mapfile readarray unset getopts wait'.split(' '),
)

/** Finds how a builtin changes the shell beyond what the tables list as harmless. */
export function findShellChange(
  { words, assignments }: Pick<ExpandedCommand, 'words' | 'assignments'>,
  { problems }: Pick<CommandEffects, 'problems'>,
): ShellChange | undefined {
  const program = words[0]
  if (program === undefined) return undefined
  if (assignments.some((word) => changesLookup(nameOf(word), word))) return 'lookup'
  return problems.length === 0 ? undefined : changeOfBuiltin(program.text, words.slice(1))
}

const CHANGES_LOOKUP: ReadonlySet<string> = new Set(['let', 'alias', 'hash', 'enable'])

function changeOfBuiltin(name: string, args: readonly ShellWord[]): ShellChange | undefined {
  if (NAME_SETTERS.has(name)) return changeOfNames(args, /^(?:declare|typeset|local|readonly|export)$/.test(name))
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

/** Others, such as `cdable_vars`, change where `cd` leads or what a word runs. */
function isHarmlessShellOption(word: ShellWord): boolean {
  return isKnown(word) && (word.text.startsWith('-') || HARMLESS_SHELL_OPTIONS.has(word.text))
}

function changeOfNames(args: readonly ShellWord[], hasAttributes: boolean): ShellChange | undefined {
  const isEvaluated = hasAttributes && args.some((word) => /^-[A-Za-z]*[in]/.test(word.text))
  // The value of an integer is evaluated, and so is the subscript of the variable that a reference names.
  const isEvaluatedValue = (text: string) => /=(?!\w*$)/.test(text)
  return strongestChange(
    args.map((word) => (isEvaluated && isEvaluatedValue(word.text) ? 'lookup' : changeOfName(word))),
  )
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
