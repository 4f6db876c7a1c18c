import { Script } from 'node:vm'

/** Far above what any sane expression needs for a name, far below what a person notices. */
const TIME_LIMIT_MS = 250

export type ExpressionVerdict = 'matches' | 'differs' | 'too-slow'

/** Tests an expression over a whole name, and gives up on one that backtracks without end. */
export function testExpression(expression: string, name: string): ExpressionVerdict {
  // A machine that stood still looks like a slow expression, so one overrun proves nothing.
  const verdict = testOnce(expression, name)
  return verdict === 'too-slow' ? testOnce(expression, name) : verdict
}

function testOnce(expression: string, name: string): ExpressionVerdict {
  const whole = JSON.stringify(`^(?:${expression})$`)
  const script = new Script(`new RegExp(${whole}).test(${JSON.stringify(name)})`)
  try {
    // Only the time limit of a script can interrupt an expression that runs.
    return script.runInThisContext({ timeout: TIME_LIMIT_MS }) === true ? 'matches' : 'differs'
  } catch {
    // Interrupted, or too large to be compiled: it will not get better with the next name.
    return 'too-slow'
  }
}
