import {
  type ArithmeticExpression,
  forEachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from 'unbash'
import type { Scope } from './scope.js'
import { printsNumber } from './substitution-output.js'

/** Shell variables whose value is always a number. */
const NUMERIC_NAMES = new Set(['RANDOM', 'SECONDS', 'LINENO', 'UID', 'EUID', 'PPID', 'EPOCHSECONDS', 'BASHPID'])
const NUMERIC_PARAMETERS = /^\$(?:[?#$]|\{[?#$]\})$/
const NUMBER = /^(?:\d+|0[xX][0-9a-fA-F]+|\d+#\w+)$/

/**
 * Returns why evaluating an arithmetic expression may have effects, or undefined if it has none. Bash evaluates the value of a
 * variable again, and a subscript in that value can run commands. Only numbers and variables that hold numbers are harmless.
 */
export function findArithmeticProblem(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  { onScript }: { readonly onScript: (script: ParsedScript | undefined) => void },
): string | undefined {
  if (expression === undefined) return 'evaluates arithmetic that cannot be parsed'
  let problem: string | undefined
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      onScript(node.script)
      if (!printsNumber(node.script)) problem ??= 'evaluates unknown text as arithmetic'
      return
    }
    if (node.type === 'ArithmeticWord' && !isNumeric(node.value, scope))
      problem ??= `evaluates ${node.value} as arithmetic`
    if (isAssigning(node)) problem ??= 'sets a variable in arithmetic'
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
  if (variables.numericNames.has(name)) return true
  const values = variables.values.get(name)
  if (values !== undefined) return values.every((value) => /^-?\d+$/.test(value))
  return NUMERIC_NAMES.has(name) && !variables.isSet(name)
}

/** Whether an operand of `[[ … -eq … ]]` or a subscript is certainly a number. */
export function isNumericText(text: string, scope: Scope): boolean {
  return /^-?\d+$/.test(text) || isNumeric(text, scope)
}

/**
 * Returns why a `${…}` expansion may have effects, or undefined if it has none. Some forms evaluate values, which can run
 * commands.
 */
export function findParameterProblem(expansion: ParameterExpansionPart, scope: Scope): string | undefined {
  const { prefix, index, operation, parameter } = expansion
  if (prefix === '!' && operation?.type !== 'Names' && !isWholeArray(index)) return 'reads an indirect variable'
  if (index !== undefined && !isWholeArray(index) && !isNumericText(index.value, scope)) return 'evaluates a subscript'
  if (!/^(?:[A-Za-z_]\w*|\d+|[@*#?$!_-])$/.test(parameter)) return `expands the parameter ${parameter}`
  switch (operation?.type) {
    case 'Transform':
      return /^[QULu]$/.test(operation.operand.value)
        ? undefined
        : `applies the transformation @${operation.operand.value}`
    case 'Default':
      return operation.operator.endsWith('=') ? 'sets a variable in an expansion' : undefined
    case 'Slice':
      return isNumberOrEmpty(operation.offset, scope) && isNumberOrEmpty(operation.length, scope)
        ? undefined
        : 'evaluates the bounds of a slice'
    case 'Unknown':
      return `expands a parameter with the operator ${operation.operator}`
    default:
      return undefined
  }
}

function isWholeArray(index: Word | undefined): boolean {
  return index?.value === '@' || index?.value === '*'
}

function isNumberOrEmpty(word: Word | undefined, scope: Scope): boolean {
  return word === undefined || word.value.trim() === '' || isNumericText(word.value.trim(), scope)
}
