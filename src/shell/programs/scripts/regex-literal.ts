/**
 * Returns the source of a pattern for bracket expressions such as `[^a-z]` on whose end all programs agree. Some programs take
 * a backslash in brackets for an escape and others for itself; some end the whole regular expression at a delimiter in
 * brackets; some count nested brackets. So a character of `excluded` occurs only after a backslash, a backslash is never followed
 * by a bracket or another backslash, and an opening bracket only starts a class such as `[:space:]`.
 */
function bracketExpression(excluded: string): string {
  const rest = `\\[:[a-z]{1,10}:\\]|\\\\[^[\\]\\\\\\n]`
  const item = `(?:[^[\\]\\\\\\n${excluded}]|${rest})`
  const firstItem = `(?:[^[\\]\\\\\\n^${excluded}]|${rest})`
  return `\\[(?:\\^(?:\\]|${item})|\\]|${firstItem})${item}*\\]`
}

/** Returns a sticky pattern for the regular expressions of awk, with their slashes. An empty one, or one with `=` at the start, may be an operator. */
export function createAwkRegexPattern(): RegExp {
  return new RegExp(`/(?![/=])(?:[^/\\\\[\\n]|\\\\[^\\n"xuU]|${bracketExpression('/')})+/`, 'y')
}

const sedPatterns = new Map<string, RegExp>()
const SED_DELIMITER = /^[/,|#@:!%~;+=_^"'&-]$/

/**
 * Returns a sticky pattern for the regular expressions of sed with their delimiters; undefined for an unusual delimiter. The first
 * group is present if the expression has the delimiter in brackets, where older versions of sed would end it.
 */
export function sedRegexPattern(delimiter: string): RegExp | undefined {
  if (!SED_DELIMITER.test(delimiter)) return undefined
  const cached = sedPatterns.get(delimiter)
  if (cached !== undefined) return cached
  const escaped = `\\x${delimiter.charCodeAt(0).toString(16)}`
  const brackets = `${bracketExpression(escaped)}|(${bracketExpression('')})`
  const pattern = new RegExp(`${escaped}(?:[^${escaped}\\\\[\\n]|\\\\[^\\nc]|${brackets})*${escaped}`, 'y')
  sedPatterns.set(delimiter, pattern)
  return pattern
}

/**
 * Whether a backslash follows a character outside of ASCII. In character sets such as GBK the bytes of such a character may
 * swallow the backslash.
 */
export function hasSwallowedBackslash(text: string): boolean {
  return /[^ -~\s]\\/.test(text)
}
