/** Where a pattern begins to search, and what is searched for there. */
export interface SplitPattern {
  /** As it was written: absolute, or from wherever the whole pattern counts from; empty for just there. */
  readonly folder: string
  readonly rest: string
}

/** What makes a name stand for more than itself. */
const WILD = /[*?[\]{}\\]/

/** Takes the folders that a pattern names outright off its start, so that nothing else is searched or asked about. */
export function splitPattern(pattern: string): SplitPattern {
  const names = pattern.split('/')
  const firstWild = names.findIndex((name) => WILD.test(name))
  const last = names.length - 1
  const cut = firstWild === -1 ? last : Math.min(firstWild, last)
  const folder = names.slice(0, cut).join('/')
  const rest = names.slice(cut).join('/')
  if (cut === 0) return { folder: '', rest }
  return { folder: folder === '' ? '/' : folder, rest: `/${rest}` }
}

/** What is wrong with a pattern, and how to write it; undefined where it can be searched for. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.startsWith('!'))
    return 'A pattern cannot begin with "!": say what to find, not what to leave out. For a file whose name begins so, write "[!]" in place of "!".'
  if (/[/\\]$/.test(pattern))
    return `The pattern names a folder. For what is in it, write ${JSON.stringify(`${pattern}**`)}.`
  if (/(?:^|[/{,])\.\.(?:$|[/},])/.test(splitPattern(pattern).rest))
    return '".." cannot stand behind a wildcard. Put the folder to search in path.'
  return unclosed(pattern)
}

function unclosed(pattern: string): string | undefined {
  const literal = pattern.replace(/\\./g, '')
  const withoutClasses = literal.replace(/\[[!^]?\]?[^\]]*\]/g, '')
  if (withoutClasses.includes('['))
    return 'A "[" is not closed. For the character itself write "[[]", for example "app/[[]id]/*.tsx".'
  const depth = [...withoutClasses].reduce((open, each) => open + (each === '{' ? 1 : each === '}' ? -1 : 0), 0)
  if (depth !== 0) return 'A "{" and a "}" do not fit together. For the characters themselves write "[{]" and "[}]".'
  return undefined
}
