import { testExpression } from '../../shared/timed-expression.js'

/** Selects the names that a group of hooks applies to. */
export interface HookMatcher {
  readonly text: string
  matches(name: string): boolean
  /** Set after the expression took too long: it then matches every name, and the user should be informed. */
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
  const trimmedText = text.trim().replace(SPACED_BAR, '|')
  if (trimmedText === '' || trimmedText === '*') return matchAll(text)
  if (EXACT_NAMES.test(trimmedText)) {
    const names = new Set(trimmedText.split('|'))
    return { text, matches: (name) => names.has(name) }
  }
  checkExpression(text)
  return new ExpressionMatcher(text, trimmedText === text ? text : allowSpaces(text, trimmedText))
}

export function matchAll(text: string): HookMatcher {
  return { text, matches: () => true }
}

/** Returns an expression that matches with and without the spaces, because they may be intentional. */
function allowSpaces(text: string, trimmedText: string): string {
  const alternatives = `(?:${text})|(?:${trimmedText})`
  return isExpression(trimmedText) && isExpression(alternatives) ? alternatives : text
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
    throw new MatcherError(
      `The matcher has ${text.length} characters; at most ${MAX_EXPRESSION_CHARS} are allowed. Shorten it.`,
    )
  // Checked without the added parentheses, inside which `a)(b` would be valid.
  if (!isExpression(text))
    throw new MatcherError(`The matcher ${JSON.stringify(text)} is neither names joined by | nor a regular expression.`)
}

const MAX_CACHED_NAMES = 256
const MAX_CACHED_NAME_CHARS = 128

/** Results are cached, because a test with a time limit is far slower than a map lookup. */
class ExpressionMatcher implements HookMatcher {
  problem?: string
  readonly #cachedResults = new Map<string, boolean>()

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
    const cached = this.#cachedResults.get(name)
    if (cached !== undefined) return cached
    const [isMatch] = testExpression(`^(?:${this.#expression})$`, [name], MAX_TEST_MS) ?? []
    if (isMatch === undefined) {
      this.problem = `The matcher ${JSON.stringify(this.text)} takes too long to test, so its hooks run for every name. Write it without nested or adjacent repetitions.`
      return true
    }
    this.#cacheResult(name, isMatch)
    return isMatch
  }

  #cacheResult(name: string, isMatch: boolean): void {
    if (name.length > MAX_CACHED_NAME_CHARS) return
    if (this.#cachedResults.size >= MAX_CACHED_NAMES) this.#cachedResults.clear()
    this.#cachedResults.set(name, isMatch)
  }
}

/** Far more than a reasonable expression needs for one name. */
const MAX_TEST_MS = 250
