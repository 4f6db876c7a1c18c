/** The folder in which the search for a pattern starts, and the part of the pattern after that folder. */
export interface SplitPattern {
  /** The folder as written in the pattern, absolute or relative. Empty if the pattern names no folder. */
  readonly folder: string
  readonly remainingPattern: string
}

/** Characters with a special meaning in a glob. */
const GLOB_CHARACTER = /[*?[\]{}\\]/

/** Splits off the leading folders without wildcards, so that only the last of them is searched and needs permission. */
export function splitPattern(pattern: string): SplitPattern {
  const names = pattern.split('/')
  const firstWildIndex = names.findIndex((name) => GLOB_CHARACTER.test(name))
  const lastIndex = names.length - 1
  const cut = firstWildIndex === -1 ? lastIndex : Math.min(firstWildIndex, lastIndex)
  const folder = names.slice(0, cut).join('/')
  const remainingPattern = names.slice(cut).join('/')
  if (cut === 0) return { folder: '', remainingPattern }
  return { folder: folder === '' ? '/' : folder, remainingPattern: `/${remainingPattern}` }
}

/** Longer patterns take long to translate, and programs do not accept arguments of any length. */
const MAX_PATTERN_CHARS = 10_000

/** Returns the problem of a pattern and how to fix it; undefined if the pattern is valid. */
export function findPatternProblem(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARS)
    return `The pattern has ${pattern.length} characters, and the limit is ${MAX_PATTERN_CHARS}. Use a wildcard instead of a list of names, or several calls.`
  if (pattern.startsWith('!'))
    return 'A pattern cannot start with "!": describe the files to find, not those to exclude. For a literal "!" write "[!]".'
  if (/[/\\]$/.test(pattern))
    return `The pattern names a folder. To find the files in it, write ${JSON.stringify(`${pattern}**`)}.`
  if (/(?:^|[/{,])\.\.(?:$|[/},])/.test(splitPattern(pattern).remainingPattern))
    return '".." is not allowed after a wildcard. Put the folder to search in path.'
  return findUnclosedProblem(pattern)
}

function findUnclosedProblem(pattern: string): string | undefined {
  const unescapedPattern = pattern.replace(/\\./g, '')
  const textWithoutClasses = removeClasses(unescapedPattern)
  if (textWithoutClasses === undefined)
    return 'Unclosed "[". For a literal "[" write "[[]", for example "app/[[]id]/*.tsx".'
  const depth = [...textWithoutClasses].reduce(
    (openCount, each) => openCount + (each === '{' ? 1 : each === '}' ? -1 : 0),
    0,
  )
  if (depth !== 0) return 'Unbalanced "{" or "}". For the literal characters write "[{]" and "[}]".'
  return undefined
}

/** Removes classes such as `[a-z]`; undefined if one is not closed. */
function removeClasses(pattern: string): string | undefined {
  let text = ''
  let at = 0
  for (let open = pattern.indexOf('['); open !== -1; open = pattern.indexOf('[', at)) {
    // A "]" directly after the start belongs to the class, unless it is the only one.
    const afterStart = pattern.indexOf(']', open + (/[!^]/.test(pattern[open + 1] ?? '') ? 3 : 2))
    const close = afterStart === -1 ? pattern.indexOf(']', open + 1) : afterStart
    if (close === -1) return undefined
    text += pattern.slice(at, open)
    at = close + 1
  }
  return text + pattern.slice(at)
}
