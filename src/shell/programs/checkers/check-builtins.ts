import { isScriptVariable } from '../../words/environment-variables.js'
import { isKnown, mayBeOption, type ShellWord } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import type { EffectsDraft } from '../effects.js'
import { parseArguments } from '../parse-arguments.js'
import type { Checker } from './checker.js'

/** `cd` and `pushd`: nothing changes but the folder of what follows. */
export const checkCd: Checker = (words, draft) => {
  const operands = words.filter((word, index) => !(isKnown(word) && /^(?:-[LPe@]+|--)$/.test(word.text) && index < 2))
  const [target] = operands
  if (operands.length > 1) draft.refuse('an operand too many')
  // A name that is not known may also be an option, of which none does harm.
  // With `-P` the way up leads from where a link points to.
  const isPhysical = words.some((word) => isKnown(word) && /^-[Le@]*P/.test(word.text))
  // Without a target, `pushd` goes to the folder before.
  if (target === undefined || isPhysical) draft.folder = 'unknown'
  else draft.folder = isKnown(target) && !/^[-+]/.test(target.text) ? target : 'unknown'
  if (target !== undefined && draft.folder !== 'unknown') draft.reads.push({ word: target, isTree: false })
  if (target !== undefined && !isKnown(target)) draft.isComplete = false
}

/** A format that sets the variable which it is given to the number of characters so far. */
const SETS = /%[^%A-Za-z]*n/

/** `printf`: the option `-v` sets a variable, and evaluates its subscript. */
export const checkPrintf: Checker = (words, draft) => {
  const [first] = words
  if (first === undefined) return
  const isEnd = isKnown(first) && first.text === '--'
  if (!isEnd && mayBeOption(first)) draft.refuse('printf may set a variable')
  const [format, ...values] = isEnd ? words.slice(1) : words
  if (format === undefined || (values.length === 0 && format.spread === 'one')) return
  if (!isKnown(format) || SETS.test(format.text)) draft.refuse('a format that may set a variable')
}

const READ: CommandUsage = {
  options: { flags: '-r -s -e', values: '-a -d -n -N -p -t -u -i' },
  operands: ['text...'],
  style: 'posix',
}

/** `read` sets variables: harmless where they are of the script alone, and their names hold no subscript. */
export const checkRead: Checker = (words, draft) => {
  const { problem, operands, values } = parseArguments(READ, words)
  if (problem !== undefined) draft.refuse(problem)
  const names = [...operands, ...values.filter(({ option }) => option === '-a').map(({ word }) => word)]
  refuseOthers(names, draft)
}

/** Left out: `-C`, which evaluates its value. */
const MAPFILE: CommandUsage = {
  options: { flags: '-t', values: '-d -n -s -u', refused: '-O', runs: '-C -c' },
  operands: ['text'],
  style: 'posix',
}

/** `mapfile` sets an array: the same holds. */
export const checkMapfile: Checker = (words, draft) => {
  const { problem, operands, runsUnknown } = parseArguments(MAPFILE, words)
  if (problem !== undefined) draft.refuse(problem)
  if (runsUnknown) draft.isUnresolved = true
  if (operands.length > 1) draft.refuse('an operand too many')
  refuseOthers(operands, draft)
}

function refuseOthers(names: readonly ShellWord[], draft: EffectsDraft): void {
  for (const name of names) {
    // The shell sets `_` anew with every command.
    if (!isKnown(name) || (!isScriptVariable(name.text) && name.text !== '_')) draft.refuse(`sets ${name.text}`)
  }
}

const UNARY = /^-[abcdefghknoprstuwxzGLNOS]$/
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/

/** `test` and `[`: only `-v` and `-R` evaluate what they are given, so no other word may become one of them. */
export const checkTest: Checker = (words, draft) => {
  const last = words.at(-1)
  const inner = last !== undefined && last.text === ']' ? words.slice(0, -1) : words
  if (inner.some((word) => isKnown(word) && /^-[vR]$/.test(word.text))) draft.refuse('a name that is evaluated')
  if (!isClear(inner)) draft.refuse('a condition that is not known before it runs')
}

function isClear(words: readonly ShellWord[]): boolean {
  if (words.some((word) => word.spread !== 'one' && word.isPlain !== true)) return false
  if (words.every((word) => isKnown(word) || word.isNoOption === true || word.isPlain === true)) return true
  const [first, second, third] = words
  if (first !== undefined && words.length > 1 && first.text === '!' && isKnown(first)) return isClear(words.slice(1))
  if (words.length === 1) return true
  if (words.length === 2) return first !== undefined && isKnown(first) && UNARY.test(first.text)
  return (
    words.length === 3 && second !== undefined && third !== undefined && isKnown(second) && BINARY.test(second.text)
  )
}
