import { Script } from 'node:vm'

/** Selects the names that a group of hooks applies to. */
export interface HookMatcher {
  readonly text: string
  matches(name: string): boolean
  /** Set once the expression proved unusable: it then matches every name, and the user should be informed. */
  readonly problem?: string
}

export class MatcherError extends Error {
  override readonly name = 'MatcherError'
}

const EXACT_NAMES = /^[a-zA-Z0-9_|-]+$/
const SPACED_BAR = /\s*\|\s*/g
const MAX_EXPRESSION_CHARS = 1_000

/** Compiles a matcher: names joined by `|`, a regular expression for the whole name, or `''` and `*` for every name. */
export function compileMatcher(text: string): HookMatcher {
  // Spaces around a name are ignored: otherwise a guard would silently match nothing.
  const tight = text.trim().replace(SPACED_BAR, '|')
  if (tight === '' || tight === '*') return matchAll(text)
  if (EXACT_NAMES.test(tight)) {
    const names = new Set(tight.split('|'))
    return { text, matches: (name) => names.has(name) }
  }
  checkExpression(text)
  return new ExpressionMatcher(text, tight === text ? text : eitherOf(text, tight))
}

export function matchAll(text: string): HookMatcher {
  return { text, matches: () => true }
}

/** Spaces may be intentional in an expression, so it is tried with and without them. */
function eitherOf(text: string, tight: string): string {
  const both = `(?:${text})|(?:${tight})`
  return isExpression(tight) && isExpression(both) ? both : text
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    // Not a valid regular expression.
    return false
  }
}

function checkExpression(text: string): void {
  if (text.length > MAX_EXPRESSION_CHARS)
    throw new MatcherError(`The matcher is longer than ${MAX_EXPRESSION_CHARS} characters.`)
  // Checked without the added parentheses, inside which `a)(b` would be valid.
  if (!isExpression(text))
    throw new MatcherError(`The matcher ${JSON.stringify(text)} is neither names joined by | nor a regular expression.`)
}

const MAX_REMEMBERED = 256
const MAX_REMEMBERED_CHARS = 128

/** Results are cached, because a test with a time limit is far slower than a map lookup. */
class ExpressionMatcher implements HookMatcher {
  problem?: string
  readonly #known = new Map<string, boolean>()

  readonly #expression: string

  constructor(
    readonly text: string,
    expression: string,
  ) {
    this.#expression = expression
  }

  matches(name: string): boolean {
    // A guard must not be skipped because its matcher cannot be evaluated.
    if (this.problem !== undefined) return true
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const verdict = testExpression(this.#expression, name)
    if (verdict === 'too-slow') {
      this.problem = `The matcher ${JSON.stringify(this.text)} takes too long to test, so its hooks run for every name. Write it without nested or adjacent repetitions.`
      return true
    }
    this.#remember(name, verdict === 'matches')
    return verdict === 'matches'
  }

  #remember(name: string, matched: boolean): void {
    if (name.length > MAX_REMEMBERED_CHARS) return
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear()
    this.#known.set(name, matched)
  }
}

/** Far more than a reasonable expression needs for a name, far less than a person notices. */
const TIME_LIMIT_MS = 250

type ExpressionVerdict = 'matches' | 'differs' | 'too-slow'

/** Tests an expression against a whole name, and gives up on catastrophic backtracking. */
function testExpression(expression: string, name: string): ExpressionVerdict {
  // A suspended machine looks like a slow expression, so one timeout proves nothing.
  const verdict = testOnce(expression, name)
  return verdict === 'too-slow' ? testOnce(expression, name) : verdict
}

function testOnce(expression: string, name: string): ExpressionVerdict {
  const whole = JSON.stringify(`^(?:${expression})$`)
  const script = new Script(`new RegExp(${whole}).test(${JSON.stringify(name)})`)
  try {
    // Only the time limit of a script can interrupt a running regular expression.
    return script.runInThisContext({ timeout: TIME_LIMIT_MS }) === true ? 'matches' : 'differs'
  } catch {
    // Interrupted, or too large to compile: other names would fare no better.
    return 'too-slow'
  }
}
