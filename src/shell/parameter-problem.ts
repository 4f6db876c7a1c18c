import type { ParameterExpansionPart, Word } from 'unbash'
import { isNumericText } from './arithmetic-problem.js'
import type { Scope } from './scope.js'

/** Why `${…}` may do more than give a text: some forms evaluate what they find, and that may run commands. */
export function parameterProblem(part: ParameterExpansionPart, scope: Scope): string | undefined {
  const { prefix, index, operation, parameter } = part
  if (prefix === '!' && operation?.type !== 'Names' && !isList(index)) return 'an indirect variable'
  if (index !== undefined && !isList(index) && !isNumericText(index.value, scope))
    return 'a subscript that is evaluated'
  if (!/^(?:[A-Za-z_]\w*|\d+|[@*#?$!_-])$/.test(parameter)) return `the parameter ${parameter}`
  switch (operation?.type) {
    case 'Transform':
      return /^[QULu]$/.test(operation.operand.value) ? undefined : `the transformation @${operation.operand.value}`
    case 'Default':
      return operation.operator.endsWith('=') ? 'an expansion that sets a variable' : undefined
    case 'Slice':
      return isNumber(operation.offset, scope) && isNumber(operation.length, scope)
        ? undefined
        : 'a slice that is evaluated'
    case 'Unknown':
      return `the operator ${operation.operator}`
    default:
      return undefined
  }
}

function isList(index: Word | undefined): boolean {
  return index?.value === '@' || index?.value === '*'
}

function isNumber(word: Word | undefined, scope: Scope): boolean {
  return word === undefined || word.value.trim() === '' || isNumericText(word.value.trim(), scope)
}
