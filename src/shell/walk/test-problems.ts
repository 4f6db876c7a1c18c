import type { TestExpression, Word } from 'unbash'
import { isNumericText } from '../words/evaluation-problems.js'
import { type ExpansionListener, expandWord } from '../words/expand-word.js'
import { isRegularExpression } from '../words/read-word.js'
import type { Scope } from '../words/scope.js'

/** Returns why `[[ … ]]` may have effects, or undefined if it has none. Bash evaluates numeric operands and subscripts. */
export function findTestProblem(
  expression: TestExpression,
  scope: Scope,
  listener: ExpansionListener,
): string | undefined {
  switch (expression.type) {
    case 'TestUnary':
      expandWord(expression.operand, scope, listener)
      return /^-[vR]$/.test(expression.operator) && !/^\w+$/.test(expression.operand.text)
        ? 'evaluates a variable name'
        : undefined
    case 'TestBinary':
      expandWord(expression.left, scope, listener)
      if (expression.operator !== '=~' || !isRegularExpression(expression.right.text))
        expandWord(expression.right, scope, listener)
      return findNumberProblem(expression.operator, [expression.left, expression.right], scope)
    case 'TestLogical':
      return expression.operands
        .map((each) => findTestProblem(each, scope, listener))
        .find((each) => each !== undefined)
    case 'TestNot':
      return findTestProblem(expression.operand, scope, listener)
    case 'TestGroup':
      return findTestProblem(expression.expression, scope, listener)
  }
}

function findNumberProblem(operator: string, words: readonly Word[], scope: Scope): string | undefined {
  if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) return undefined
  return words.every((word) => isNumericText(word.text.replace(/^"(.*)"$/, '$1'), scope))
    ? undefined
    : 'evaluates text as a number'
}
