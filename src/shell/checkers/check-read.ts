import type { CommandUsage } from '../command-spec.js'
import { isScriptVariable } from '../environment-names.js'
import { parseArguments } from '../parse-arguments.js'
import { isKnown } from '../shell-word.js'
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
  for (const name of names) {
    if (!isKnown(name) || !isScriptVariable(name.text)) draft.refuse(`sets ${name.text}`)
  }
}
