import { Script } from 'node:vm'

/** Says which names a group of hooks is for. */
export interface HookMatcher {
  readonly text: string
  matches(name: string): boolean
  /** Set once the expression has proved unusable: from then on it fits every name, and this should be told to the user. */
  readonly problem?: string
}

export class MatcherError extends Error {
  override readonly name = 'MatcherError'
}

const EXACT_NAMES = /^[a-zA-Z0-9_|-]+$/
const SPACED_BAR = /\s*\|\s*/g
const LONGEST_EXPRESSION = 1_000

/** Reads a matcher: names joined by `|`, a regular expression over the whole name, or all (`''` and `*`). */
export function compileMatcher(text: string): HookMatcher {
  // Space around a name is no part of it: with it a guard would fit nothing, and nobody would know.
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

/** Space may be meant in an expression, so it fits with and without. */
function eitherOf(text: string, tight: string): string {
  const both = `(?:${text})|(?:${tight})`
  return isExpression(tight) && isExpression(both) ? both : text
}

function isExpression(text: string): boolean {
  try {
    return new RegExp(text) !== undefined
  } catch {
    // Not one that can be compiled.
    return false
  }
}

function checkExpression(text: string): void {
  if (text.length > LONGEST_EXPRESSION)
    throw new MatcherError(`The matcher is longer than ${LONGEST_EXPRESSION} characters.`)
  // Alone, because `a)(b` would become valid between the parentheses that are put around it.
  if (!isExpression(text))
    throw new MatcherError(`The matcher ${JSON.stringify(text)} is neither names joined by | nor a regular expression.`)
}

const MOST_REMEMBERED = 256
const LONGEST_REMEMBERED = 128

/** Each name is tested once, because a bounded test costs far more than a look into a map. */
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
    // A guard must not be skipped because its matcher cannot be tested.
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
    if (name.length > LONGEST_REMEMBERED) return
    if (this.#known.size >= MOST_REMEMBERED) this.#known.clear()
    this.#known.set(name, matched)
  }
}

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
