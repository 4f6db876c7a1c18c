/**
 * Returns the source of a pattern for bracket expressions such as `[^a-z]` whose end is the same for all programs. Programs
 * differ in three ways: some read a backslash in brackets as an escape, some end the whole regular expression at a delimiter
 * in brackets, and some count nested brackets. So a character of `excludedCharacters` occurs only after a backslash, a backslash is
 * never followed by a bracket or another backslash, and an opening bracket occurs only in a class such as `[:space:]`.
 */
function createBracketPattern(excludedCharacters: string): string {
  const classOrEscape = `\\[:[a-z]{1,10}:\\]|\\\\[^[\\]\\\\\\n]`
  const item = `(?:[^[\\]\\\\\\n${excludedCharacters}]|${classOrEscape})`
  const firstItem = `(?:[^[\\]\\\\\\n^${excludedCharacters}]|${classOrEscape})`
  return `\\[(?:\\^(?:\\]|${item})|\\]|${firstItem})${item}*\\]`
}

/**
 * Returns a sticky pattern for awk's regular expressions, including the slashes. Excluded: an empty one and one that starts
 * with `=`, because the slash may be an operator.
 */
export function createAwkRegexPattern(): RegExp {
  return new RegExp(`/(?![/=])(?:[^/\\\\[\\n]|\\\\[^\\n"xuU]|${createBracketPattern('/')})+/`, 'y')
}

const sedPatterns = new Map<string, RegExp>()
const SED_DELIMITER = /^[/,|#@:!%~;+=_^"'&-]$/

/**
 * Returns a sticky pattern for sed's regular expressions, including the delimiters; undefined for an unusual delimiter. The
 * first group matches if the expression contains the delimiter in brackets, where older versions of sed would end it.
 */
export function getSedRegexPattern(delimiter: string): RegExp | undefined {
  if (!SED_DELIMITER.test(delimiter)) return undefined
  const cachedPattern = sedPatterns.get(delimiter)
  if (cachedPattern !== undefined) return cachedPattern
  const escapedDelimiter = `\\x${delimiter.charCodeAt(0).toString(16)}`
  const brackets = `${createBracketPattern(escapedDelimiter)}|(${createBracketPattern('')})`
  const pattern = new RegExp(
    `${escapedDelimiter}(?:[^${escapedDelimiter}\\\\[\\n]|\\\\[^\\nc]|${brackets})*${escapedDelimiter}`,
    'y',
  )
  sedPatterns.set(delimiter, pattern)
  return pattern
}

/**
 * Whether a backslash follows a non-ASCII character. In character sets such as GBK, the backslash may be the last byte of a
 * character.
 */
export function hasAmbiguousBackslash(text: string): boolean {
  return /[^ -~\s]\\/.test(text)
}
