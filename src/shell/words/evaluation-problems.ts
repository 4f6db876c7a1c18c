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

/** Why an expansion may have effects. */
export interface EvaluationProblem {
  readonly problem: string
  /** Whether bash evaluates text in which a substitution may run any command. */
  readonly mayRunText: boolean
}

/** Whether bash may evaluate a text of the script: a variable that holds one, or code that is not a plain expression. */
function mayRunText(text: string, { variables }: Scope): boolean {
  const names = text.match(/[A-Za-z_]\w*/g) ?? []
  return /[`'"\\(]/.test(text) || names.some((name) => variables.mayHoldText(name))
}

/**
 * Returns why evaluating an arithmetic expression may have effects, or undefined if it has none. Bash evaluates the value of a
 * variable again, and a subscript in that value can run commands. Only numbers and variables that hold numbers are harmless.
 */
export function findArithmeticProblem(
  expression: ArithmeticExpression | undefined,
  scope: Scope,
  { onScript }: { readonly onScript: (script: ParsedScript | undefined) => void },
): EvaluationProblem | undefined {
  if (expression === undefined) return { problem: 'evaluates arithmetic that cannot be parsed', mayRunText: true }
  let problem: string | undefined
  let runsText = false
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion') {
      onScript(node.script)
      if (printsNumber(node.script)) return
      problem ??= 'evaluates unknown text as arithmetic'
      runsText = true
      return
    }
    if (node.type === 'ArithmeticWord' && !isNumeric(node.value, scope)) {
      problem ??= `evaluates ${node.value} as arithmetic`
      runsText ||= mayRunText(node.value, scope)
    }
    if (isAssigning(node)) problem ??= 'sets a variable in arithmetic'
    forEachChild(node, visit)
  }
  visit(expression)
  return problem === undefined ? undefined : { problem, mayRunText: runsText }
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

/** Returns why evaluating a text as a number may have effects, or undefined if it has none. */
export function findNumberProblem(text: string, scope: Scope, problem: string): EvaluationProblem | undefined {
  return isNumericText(text, scope) || /^\$\{#\w+(?:\[[@*]\])?\}$/.test(text)
    ? undefined
    : { problem, mayRunText: mayRunText(text, scope) }
}

/** Whether an operand of `[[ … -eq … ]]` or a subscript is certainly a number. */
export function isNumericText(text: string, scope: Scope): boolean {
  return /^-?\d+$/.test(text) || isNumeric(text, scope)
}

/**
 * Returns why a `${…}` expansion may have effects, or undefined if it has none. Some forms evaluate values, which can run
 * commands.
 */
export function findParameterProblem(expansion: ParameterExpansionPart, scope: Scope): EvaluationProblem | undefined {
  const { prefix, index, operation, parameter } = expansion
  if (prefix === '!' && operation?.type !== 'Names' && !isWholeArray(index))
    return { problem: 'reads an indirect variable', mayRunText: mayRunText(parameter, scope) }
  const subscriptProblem =
    index === undefined || isWholeArray(index)
      ? undefined
      : findNumberProblem(index.value, scope, 'evaluates a subscript')
  if (subscriptProblem !== undefined) return subscriptProblem
  if (!/^(?:[A-Za-z_]\w*|\d+|[@*#?$!_-])$/.test(parameter))
    return { problem: `expands the parameter ${parameter}`, mayRunText: true }
  switch (operation?.type) {
    case 'Transform':
      return /^[QULu]$/.test(operation.operand.value)
        ? undefined
        : { problem: `applies the transformation @${operation.operand.value}`, mayRunText: true }
    case 'Default':
      return operation.operator.endsWith('=')
        ? { problem: 'sets a variable in an expansion', mayRunText: false }
        : undefined
    case 'Slice':
      return findBoundProblem(operation.offset, scope) ?? findBoundProblem(operation.length, scope)
    case 'Unknown':
      return { problem: `expands a parameter with the operator ${operation.operator}`, mayRunText: true }
    default:
      return undefined
  }
}

function isWholeArray(index: Word | undefined): boolean {
  return index?.value === '@' || index?.value === '*'
}

function findBoundProblem(word: Word | undefined, scope: Scope): EvaluationProblem | undefined {
  const text = word?.value.trim() ?? ''
  return text === '' ? undefined : findNumberProblem(text, scope, 'evaluates the bounds of a slice')
}
