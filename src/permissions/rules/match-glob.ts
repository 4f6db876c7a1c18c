/** One segment of a pattern; `**` matches any number of segments. */
export type GlobPart = '**' | GlobName

/** A segment that matches one name. */
export interface GlobName {
  readonly text: string
  /** Omitted if the segment has no wildcard. Then the text is compared. */
  readonly tokens?: readonly GlobToken[]
}

type GlobToken =
  | { readonly type: 'character'; readonly character: string }
  | { readonly type: 'one' }
  | { readonly type: 'many' }
  | { readonly type: 'class'; readonly isNegated: boolean; readonly ranges: readonly (readonly [string, string])[] }

/** Matches any one name. */
export const ANY_NAME: GlobName = { text: '*', tokens: [{ type: 'many' }] }

/** Parses one segment of a gitignore pattern: `*`, `?`, `[a-z]`, `[!a-z]` and `\` as an escape. */
export function parseGlobPart(text: string): GlobPart {
  if (text === '**') return '**'
  if (!/[*?[\\]/.test(text)) return { text }
  const characters = [...text]
  const tokens: GlobToken[] = []
  let index = 0
  // No class can end after the last "]", so a "[" after it needs no search, which would take quadratic time for many "[".
  const lastClose = characters.lastIndexOf(']')
  while (index < characters.length) {
    const { token, nextIndex } = readToken(characters, index, lastClose)
    tokens.push(token)
    index = nextIndex
  }
  return { text, tokens }
}

interface ParsedToken {
  readonly token: GlobToken
  readonly nextIndex: number
}

function readToken(characters: readonly string[], index: number, lastClose: number): ParsedToken {
  const character = characters[index] ?? ''
  if (character === '*') return { token: { type: 'many' }, nextIndex: index + 1 }
  if (character === '?') return { token: { type: 'one' }, nextIndex: index + 1 }
  const classToken = character === '[' && index < lastClose ? readClass(characters, index) : undefined
  if (classToken !== undefined) return classToken
  if (character === '\\' && index + 1 < characters.length)
    return { token: toLiteral(characters[index + 1] ?? ''), nextIndex: index + 2 }
  return { token: toLiteral(character), nextIndex: index + 1 }
}

function toLiteral(character: string): GlobToken {
  return { type: 'character', character }
}

function readClass(characters: readonly string[], openIndex: number): ParsedToken | undefined {
  const isNegated = characters[openIndex + 1] === '!' || characters[openIndex + 1] === '^'
  const start = openIndex + (isNegated ? 2 : 1)
  const close = characters.indexOf(']', start + 1)
  if (close === -1) return undefined
  const ranges: [string, string][] = []
  let index = start
  while (index < close) {
    const from = characters[index] ?? ''
    const isRange = characters[index + 1] === '-' && index + 2 < close
    ranges.push([from, isRange ? (characters[index + 2] ?? '') : from])
    index += isRange ? 3 : 1
  }
  return { token: { type: 'class', isNegated, ranges }, nextIndex: close + 1 }
}

/** Whether a path matches the whole pattern. It backtracks only to the last `**`, so no pattern is slow. */
export function matchesGlob(pattern: readonly GlobPart[], path: readonly string[]): boolean {
  return matchesWithWildcard(
    pattern,
    path,
    (part) => part === '**',
    (part, name) => part !== '**' && matchesName(part, name),
  )
}

/** Whether a name matches the segment or is its literal text: `[id]` matches the folder `[id]` as well as `i` and `d`. */
function matchesName({ text, tokens }: GlobName, name: string): boolean {
  if (text === name) return true
  if (tokens === undefined) return false
  return matchesWithWildcard(tokens, [...name], (token) => token.type === 'many', matchesCharacter)
}

function matchesCharacter(token: GlobToken, character: string): boolean {
  if (token.type === 'character') return token.character === character
  if (token.type !== 'class') return true
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated
}

/**
 * Matches greedily and backtracks only to the last wildcard. It takes at most as many steps as the length of the pattern times
 * the number of items.
 */
function matchesWithWildcard<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  isWildcard: (part: P) => boolean,
  matchesItem: (part: P, item: I) => boolean,
): boolean {
  let partIndex = 0
  let itemIndex = 0
  let wildcardIndex = -1
  let resumeIndex = 0
  while (itemIndex < items.length) {
    const part = pattern[partIndex]
    if (part !== undefined && isWildcard(part)) {
      wildcardIndex = partIndex++
      resumeIndex = itemIndex
    } else if (part !== undefined && matchesItem(part, items[itemIndex] as I)) {
      partIndex++
      itemIndex++
    } else if (wildcardIndex !== -1) {
      partIndex = wildcardIndex + 1
      itemIndex = ++resumeIndex
    } else {
      return false
    }
  }
  while (partIndex < pattern.length && isWildcard(pattern[partIndex] as P)) partIndex++
  return partIndex === pattern.length
}
