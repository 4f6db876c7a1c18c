/** The content of a command rule, parsed into words. */
export interface CommandPattern {
  readonly kind: 'exact' | 'pattern' | 'any'
  readonly words: readonly PatternWord[]
  /** All words, joined by `COMMAND_SEPARATOR` and split at wildcards. A wildcard may match several words. */
  readonly pieces: readonly string[]
  /** Whether the pattern, such as `git push:*` or `git push *`, matches the command alone or followed by any arguments. */
  readonly hasOpenEnd: boolean
  /**
   * For deny and ask rules: patterns of simple commands, each of which a command line must contain, because the rule has
   * operators, assignments or a wrapper such as `sudo`. Left out for a rule about one simple command.
   */
  readonly parts?: readonly CommandPattern[]
}

/** A word of a rule, split at its wildcards; a single piece if it has none. */
export type PatternWord = readonly string[]

/** Separates words that are compared as one text. No argument can contain it. */
export const COMMAND_SEPARATOR = '\0'
const ANY_COMMAND: CommandPattern = { kind: 'any', words: [], pieces: [], hasOpenEnd: false }

/** Parses rule content such as `npm run test`, `npm run test:*` (the same as `npm run test *`), `git * main` or `*`. */
export function parseCommandPattern(content: string): CommandPattern {
  const text = content.trim()
  if (text === '*' || text === ':*') return ANY_COMMAND
  const parts = splitCommands(text)
  if (parts !== undefined) return { ...parseSimplePattern(text), parts: parts.map(parseCommandPattern) }
  return parseSimplePattern(text)
}

const OPERATOR = /\s+(?:&&|\|\||\||&)(?=\s|$)|\s*;(?=\s|$)/
const REDIRECTION = /\s+\d*(?:>>?|<)&?\s*\S+/g
const LEADING_ASSIGNMENTS = /^(?:[A-Za-z_]\w*=\S*\s+|!\s+|\*\s+(?=[a-z]))+/
const WRAPPER_PREFIX = /^(sudo|doas|env|nice|nohup|timeout|time|xargs)\s+(?=[\w./])/

/** Splits a rule that no simple command can match; undefined for any other rule. */
function splitCommands(text: string): readonly string[] | undefined {
  if (/["'\\]/.test(text)) return undefined
  // The patterns would take quadratic time for many blanks.
  const commands = text.replace(/\s+/g, ' ').replace(REDIRECTION, '').split(OPERATOR)
  const parts = commands.flatMap((text) => {
    const command = text.trim().replace(LEADING_ASSIGNMENTS, '')
    const wrapper = WRAPPER_PREFIX.exec(command)?.[1]
    return wrapper === undefined ? [command] : [`${wrapper}:*`, command.slice(wrapper.length).trim()]
  })
  const namedParts = parts.filter((part) => part !== '' && part !== '*' && part !== ':*')
  return namedParts.length === 0 || (namedParts.length === 1 && namedParts[0] === text.replace(/\s+/g, ' '))
    ? undefined
    : namedParts
}

function parseSimplePattern(text: string): CommandPattern {
  const openEnd = /(?::\*|\s\*)$/.exec(text)
  const words = splitWords(openEnd === null ? text : text.slice(0, openEnd.index).trimEnd())
  const pieces = joinPieces(words)
  const isExact = openEnd === null && pieces.length === 1
  return { kind: isExact ? 'exact' : 'pattern', words, pieces, hasOpenEnd: openEnd !== null }
}

const WORD = /(?:[^\s"'\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*')+/y

/** Splits the content of a rule at blanks and removes quotes. An unclosed quote is literal. */
function splitWords(text: string): readonly PatternWord[] {
  const words: PatternWord[] = []
  let at = 0
  while (at < text.length) {
    if (/\s/.test(text[at] ?? '')) {
      at += 1
      continue
    }
    WORD.lastIndex = at
    const word = WORD.exec(text)?.[0]
    if (word === undefined || /\S/.test(text[at + word.length] ?? ' '))
      return text.split(/\s+/).map((literalWord) => literalWord.split('*'))
    words.push(unquote(word))
    at += word.length
  }
  return words
}

const QUOTED_PART = /\\([\s\S])|"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|([^\\"']+)/g

/** Removes the quotes of a word and splits it at its stars. A star after a backslash is literal. */
function unquote(word: string): PatternWord {
  if (!/["'\\]/.test(word)) return word.split('*')
  const pieces = ['']
  const append = (text: string) => pieces.push((pieces.pop() ?? '') + text)
  for (const [, escapedText, doubleQuotedText, singleQuotedText, bareText] of word.matchAll(QUOTED_PART)) {
    if (escapedText !== undefined) {
      append(escapedText)
      continue
    }
    const text = bareText ?? singleQuotedText ?? doubleQuotedText?.replace(/\\([\\"$`])/g, '$1') ?? ''
    for (const [index, piece] of text.split('*').entries()) {
      if (index > 0) pieces.push('')
      append(piece)
    }
  }
  return pieces
}

function joinPieces(words: readonly PatternWord[]): readonly string[] {
  const pieces: string[] = []
  for (const [index, word] of words.entries()) {
    const [first = '', ...others] = word
    if (index === 0) pieces.push(first)
    else pieces.push(`${pieces.pop() ?? ''}${COMMAND_SEPARATOR}${first}`)
    pieces.push(...others)
  }
  return pieces
}

/** Matches each piece at its first position after the previous one, so a single pass without backtracking is enough. */
export function matchesPieces(pieces: readonly string[], text: string): boolean {
  const firstPiece = pieces[0] ?? ''
  const lastPiece = pieces.at(-1) ?? ''
  if (pieces.length <= 1) return text === firstPiece
  if (!text.startsWith(firstPiece) || !text.endsWith(lastPiece) || text.length < firstPiece.length + lastPiece.length)
    return false
  let searchStart = firstPiece.length
  const end = text.length - lastPiece.length
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, searchStart)
    if (at === -1 || at + piece.length > end) return false
    searchStart = at + piece.length
  }
  return true
}
