import type { TestExpression, Word } from 'unbash'
import { findNumberProblem } from '../words/evaluation-problems.js'
import { type ExpansionListener, expandWord } from '../words/expand-word.js'
import { isRegularExpression } from '../words/read-word.js'
import type { Scope } from '../words/scope.js'
import { printsNumber } from '../words/substitution-output.js'

/** Reports why `[[ … ]]` may have effects. Bash evaluates numeric operands and subscripts. */
export function reportTestProblems(expression: TestExpression, scope: Scope, listener: ExpansionListener): void {
  switch (expression.type) {
    case 'TestUnary':
      expandWord(expression.operand, scope, listener)
      if (/^-[vR]$/.test(expression.operator) && !/^\w+$/.test(expression.operand.text))
        listener.onProblem('evaluates a variable name', !/^"?\w+\[\w+\]"?$/.test(expression.operand.text))
      return
    case 'TestBinary':
      expandWord(expression.left, scope, listener)
      if (expression.operator !== '=~' || !isRegularExpression(expression.right.text))
        expandWord(expression.right, scope, listener)
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator))
        for (const word of [expression.left, expression.right]) reportNumberProblem(word, scope, listener)
      return
    case 'TestLogical':
      for (const operand of expression.operands) reportTestProblems(operand, scope, listener)
      return
    case 'TestNot':
      reportTestProblems(expression.operand, scope, listener)
      return
    case 'TestGroup':
      reportTestProblems(expression.expression, scope, listener)
  }
}

function reportNumberProblem({ text, parts }: Word, scope: Scope, listener: ExpansionListener): void {
  const problem = findNumberProblem(text.replace(/^"(.*)"$/, '$1'), scope, 'evaluates text as a number')
  if (problem === undefined) return
  const [part] = parts?.length === 1 ? parts : []
  const innerPart = part?.type === 'DoubleQuoted' && part.parts.length === 1 ? part.parts[0] : part
  const isNumber = innerPart?.type === 'CommandExpansion' && printsNumber(innerPart.script)
  listener.onProblem(problem.problem, problem.mayRunText && !isNumber)
}
