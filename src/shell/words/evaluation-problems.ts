import {
  type ArithmeticExpression,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'
import type { Scope } from './scope.js'
import { givesNumber } from './substitution-output.js'

/** A name whose value is a number. */
const NUMERIC_NAMES = new Set(['RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'EPOCHSECONDS', 'BASHPID'])
const NUMERIC_PARAMETERS = /^\$(?:[?#$]|\{[?#$]\})$/
const NUMBER = /^(?:\d+|0[xX][0-9a-fA-F]+|\d+#\w+)$/

/**
 * Why an arithmetic expression may do more than count. The value of a name in it is evaluated in turn, and a subscript
 * in that value runs commands, so only numbers and names that are known to hold one are harmless.
 */
export function arithmeticProblem(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  { runs }: { readonly runs: (script: ParsedScript | undefined) => void },
): string | undefined {
  if (expression === undefined) return 'arithmetic that was not understood'
  let problem: string | undefined
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      runs(node.script)
      if (!givesNumber(node.script)) problem ??= 'arithmetic with a text that is not known'
      return
    }
    if (node.type === 'ArithmeticWord' && !isNumeric(node.value, scope)) problem ??= `arithmetic with ${node.value}`
    if (isAssigning(node)) problem ??= 'arithmetic that sets a variable'
    forEachChild(node, visit)
  }
  visit(expression)
  return problem
}

function isAssigning(node: SyntaxNode): boolean {
  if (node.type === 'ArithmeticUnary') return node.operator === '++' || node.operator === '--'
  return node.type === 'ArithmeticBinary' && /=$/.test(node.operator) && !/^(?:==|!=|<=|>=)$/.test(node.operator)
}

function isNumeric(text: string, { variables }: Scope): boolean {
  if (NUMBER.test(text) || NUMERIC_PARAMETERS.test(text)) return true
  const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(text)?.[1]
  if (name === undefined) return false
  if (variables.numbers.has(name)) return true
  const values = variables.values.get(name)
  if (values !== undefined) return values.every((value) => /^-?\d+$/.test(value))
  return NUMERIC_NAMES.has(name) && !variables.isSet(name)
}

/** Whether a word of a `[[ … -eq … ]]` or a subscript is a number for sure. */
export function isNumericText(text: string, scope: Scope): boolean {
  return /^-?\d+$/.test(text) || isNumeric(text, scope)
}

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
