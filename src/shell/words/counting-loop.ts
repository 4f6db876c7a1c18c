import type { ArithmeticExpression, ArithmeticFor } from 'unbash'

/** A number that is so small that the counter cannot overflow and become negative, which would make it look like an option. */
const SMALL_NUMBER = /^\d{1,9}$/
const VARIABLE_NAME = /^[A-Za-z_]\w*$/

/**
 * Returns the variable of a loop that counts up from a number: `for ((i=0; …; i++))`. Within the loop it holds a number.
 * Undefined for any other loop.
 */
export function counterOf({ initialize, update }: ArithmeticFor): string | undefined {
  if (initialize?.type !== 'ArithmeticBinary' || initialize.operator !== '=') return undefined
  const name = textOf(initialize.left)
  if (!VARIABLE_NAME.test(name) || !SMALL_NUMBER.test(textOf(initialize.right))) return undefined
  return isIncrementOf(update, name) ? name : undefined
}

function isIncrementOf(update: ArithmeticExpression | undefined, name: string): boolean {
  if (update?.type === 'ArithmeticUnary') return update.operator === '++' && textOf(update.operand) === name
  if (update?.type !== 'ArithmeticBinary' || update.operator !== '+=') return false
  return textOf(update.left) === name && SMALL_NUMBER.test(textOf(update.right))
}

function textOf(expression: ArithmeticExpression): string {
  return expression.type === 'ArithmeticWord' ? expression.value : ''
}
