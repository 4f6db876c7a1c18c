import type { ParsedScript, TestExpression, Word } from 'unbash'
import { isNumericText } from './arithmetic-problem.js'
import { expandWord } from './expand-word.js'
import type { Scope } from './scope.js'

type Findings = { readonly runs: (script: ParsedScript | undefined) => void; readonly problem: (text: string) => void }

/** Why `[[ … ]]` may do more than compare: numbers are evaluated, and so is the subscript of a name. */
export function testProblem(expression: TestExpression, scope: Scope, findings: Findings): string | undefined {
  switch (expression.type) {
    case 'TestUnary':
      expandWord(expression.operand, scope, findings)
      return /^-[vR]$/.test(expression.operator) && !/^\w+$/.test(expression.operand.text)
        ? 'a name that is evaluated'
        : undefined
    case 'TestBinary':
      expandWord(expression.left, scope, findings)
      expandWord(expression.right, scope, findings)
      return numberProblem(expression.operator, [expression.left, expression.right], scope)
    case 'TestLogical':
      return expression.operands.map((each) => testProblem(each, scope, findings)).find((each) => each !== undefined)
    case 'TestNot':
      return testProblem(expression.operand, scope, findings)
    case 'TestGroup':
      return testProblem(expression.expression, scope, findings)
  }
}

function numberProblem(operator: string, words: readonly Word[], scope: Scope): string | undefined {
  if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) return undefined
  return words.every((word) => isNumericText(word.text.replace(/^"(.*)"$/, '$1'), scope))
    ? undefined
    : 'a number that is evaluated'
}
