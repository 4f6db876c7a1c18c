import { isScriptVariable } from '../../words/environment-variables.js'
import { isKnown, knownPartOf, mayBeOption, type ShellWord, toKnownWord } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import type { EffectsDraft } from '../effects.js'
import { parseArguments } from '../parse-arguments.js'
import type { Checker } from './checker.js'

/** `cd` and `pushd` have no effect but to change the folder of later commands. */
export const checkCd: Checker = (words, draft) => {
  const operands = words.filter((word, index) => !(isKnown(word) && /^(?:-[LP]+|--)$/.test(word.text) && index < 2))
  const [target] = operands
  if (operands.length > 1) draft.refuse('has too many operands')
  // With `-P`, bash resolves `..` after following symbolic links.
  const isPhysical = words.some((word) => isKnown(word) && /^-L*P/.test(word.text))
  // Without an operand, `cd` goes to the home folder and `pushd` to the previous folder.
  if (target === undefined || isPhysical) draft.folder = 'unknown'
  else draft.folder = isKnown(target) && !/^[-+]/.test(target.text) ? target : 'unknown'
  if (target !== undefined && isKnown(target) && !/^[-+]/.test(target.text))
    draft.reads.push({ word: target, isTree: false })
  // An unknown operand is not refused: if it expands to an option, no option of `cd` has effects.
  if (target !== undefined && !isKnown(target)) draft.isComplete = false
}

/** The operands of `dd` are `NAME=value` settings. Only `if` and `of` name files. */
export const checkDd: Checker = (words, draft) => {
  for (const word of words) {
    const start = knownPartOf(word)
    const value = { ...word, text: word.text.slice(3), knownLength: Math.max(0, word.knownLength - 3), isQuoted: true }
    if (start.startsWith('if=')) draft.reads.push({ word: value, isTree: false })
    else if (start.startsWith('of=')) draft.writes.push({ word: value, isTree: false })
    else if (!isKnown(word) && !start.includes('=')) draft.writes.push({ word, isTree: false })
  }
}

/** `eval` joins its words with spaces and runs them as a script. */
export const checkEval: Checker = (words, draft) => {
  const operands = words[0]?.text === '--' ? words.slice(1) : words
  if (operands.every(isKnown)) {
    const script = toKnownWord(operands.map(({ text }) => text).join(' '))
    draft.innerCommands.push({ kind: 'script', script, isTransparent: false })
    return
  }
  draft.isUnresolved = true
  draft.runsUnknownText = true
}

/**
 * Formats without length modifiers, widths from arguments and `%n`, which assigns the number of printed characters to a
 * variable.
 */
const PRINTF_FORMAT =
  /^(?:[^%]|%%|%[-+ #0']*\d{0,9}(?:\.\d{0,9})?(?:[sbqQcdiouxXeEfFgGaA]|\((?:[^%()]|%[A-Za-z%])*\)T))*$/

/** `printf -v` sets a variable and evaluates a subscript in its name. */
export const checkPrintf: Checker = (words, draft) => {
  const [firstWord] = words
  if (firstWord === undefined) return
  const isEnd = isKnown(firstWord) && firstWord.text === '--'
  if (!isEnd && mayBeOption(firstWord)) draft.refuse('may set a variable with printf -v')
  const [format, ...values] = isEnd ? words.slice(1) : words
  // `%n` needs an argument that names the variable.
  if (format === undefined || (values.length === 0 && format.spread === 'one')) return
  const texts = format.alternatives ?? (isKnown(format) ? [format.text] : undefined)
  if (texts === undefined || !texts.every((text) => PRINTF_FORMAT.test(text)))
    draft.refuse('may set a variable with a printf format')
}

const READ_USAGE: CommandUsage = {
  options: { flags: '-r -s -e', values: '-a -d -n -N -p -t -u -i' },
  operands: ['text...'],
  style: 'posix',
}

/** `read` sets variables, which is harmless if only the script uses them and their names contain no subscript. */
export const checkRead: Checker = (words, draft) => {
  const { problem, operands, values } = parseArguments(READ_USAGE, words)
  if (problem !== undefined) draft.refuse(problem)
  const names = [...operands, ...values.filter(({ option }) => option === '-a').map(({ word }) => word)]
  refuseUnsafeNames(names, draft)
}

/** `-C` runs its value as a command. */
const MAPFILE_USAGE: CommandUsage = {
  options: { flags: '-t', values: '-d -n -s -u', refused: '-O', runs: '-C -c' },
  operands: ['text'],
  style: 'posix',
}

/** `mapfile` sets an array, which is harmless under the same conditions as for `read`. */
export const checkMapfile: Checker = (words, draft) => {
  const { problem, operands, runsUnknown } = parseArguments(MAPFILE_USAGE, words)
  if (problem !== undefined) draft.refuse(problem)
  if (runsUnknown) draft.isUnresolved = true
  if (operands.length > 1) draft.refuse('has too many operands')
  refuseUnsafeNames(operands, draft)
}

function refuseUnsafeNames(names: readonly ShellWord[], draft: EffectsDraft): void {
  for (const name of names) {
    // `_` is allowed too, because the shell overwrites it after every command.
    if (!isKnown(name) || (!isScriptVariable(name.text) && name.text !== '_')) draft.refuse(`sets ${name.text}`)
  }
}

const UNARY_TEST = /^-[abcdefghknoprstuwxzGLNOS]$/
const BINARY_OPERATOR = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/

/** For `test` and `[`: only `-v` and `-R` evaluate their operand, so no unknown word may expand to one of them. */
export const checkTest: Checker = (words, draft) => {
  const lastWord = words.at(-1)
  const conditionWords = lastWord !== undefined && lastWord.text === ']' ? words.slice(0, -1) : words
  if (conditionWords.some((word) => isKnown(word) && /^-[vR]$/.test(word.text)))
    draft.refuse('evaluates a variable name')
  if (!isUnambiguous(conditionWords)) draft.refuse('tests a condition that is known only at run time')
}

function isUnambiguous(words: readonly ShellWord[]): boolean {
  if (words.some((word) => word.spread !== 'one' && word.isPlain !== true)) return false
  if (words.every((word) => isKnown(word) || word.cannotBeOption === true || word.isPlain === true)) return true
  const [first, second, third] = words
  if (first !== undefined && words.length > 1 && first.text === '!' && isKnown(first))
    return isUnambiguous(words.slice(1))
  if (words.length === 1) return true
  if (words.length === 2) return first !== undefined && isKnown(first) && UNARY_TEST.test(first.text)
  return (
    words.length === 3 &&
    second !== undefined &&
    third !== undefined &&
    isKnown(second) &&
    BINARY_OPERATOR.test(second.text)
  )
}
