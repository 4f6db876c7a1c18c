import { Script } from 'node:vm'

/**
 * Tests a regular expression against texts, with a time limit against catastrophic backtracking. Returns undefined if it
 * takes longer. Throws nothing; an invalid expression also gives undefined.
 */
export function testExpression(
  expression: string,
  texts: readonly string[],
  maxMs: number,
): readonly boolean[] | undefined {
  // A single timeout is not conclusive: the machine may have been suspended during the test.
  return testOnce(expression, texts, maxMs) ?? testOnce(expression, texts, maxMs)
}

function testOnce(expression: string, texts: readonly string[], maxMs: number): readonly boolean[] | undefined {
  const script = new Script(
    `((pattern) => ${JSON.stringify(texts)}.map((text) => pattern.test(text)))(new RegExp(${JSON.stringify(expression)}))`,
  )
  try {
    // Only the time limit of a script can interrupt a running regular expression.
    return script.runInThisContext({ timeout: maxMs }) as readonly boolean[]
  } catch {
    // Interrupted, or too large to compile.
    return undefined
  }
}
