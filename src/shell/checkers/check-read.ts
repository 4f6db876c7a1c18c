import type { CommandUsage } from '../command-spec.js'
import type { EffectsDraft } from '../effects.js'
import { isScriptVariable } from '../environment-names.js'
import { parseArguments } from '../parse-arguments.js'
import { isKnown, type ShellWord } from '../shell-word.js'
import type { Checker } from './checker.js'

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
