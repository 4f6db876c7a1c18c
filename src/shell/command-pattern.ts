import type { CommandAnalysis, CommandText } from '../contract/command.js'

/** The content of a command rule, split at its wildcards. */
export interface CommandPattern {
  readonly kind: 'exact' | 'pattern' | 'any'
  /** The literal texts between wildcards; a single one for an exact rule. */
  readonly pieces: readonly string[]
  /** `git push:*` or `git push *`: matches the command alone, or followed by a space and anything. */
  readonly hasOpenEnd: boolean
}

export type Certainty = 'yes' | 'maybe' | 'no'

/** Parses `npm run test`, `npm run test:*` (the same as `npm run test *`), `git * main` and `*`. */
export function parseCommandPattern(content: string): CommandPattern {
  const text = content.trim().replace(/\s+/g, ' ')
  if (text === '*' || text === ':*') return { kind: 'any', pieces: [], hasOpenEnd: false }
  const openEnd = /(?::\*| \*)$/.exec(text)
  const body = openEnd === null ? text : text.slice(0, openEnd.index).trimEnd()
  const pieces = body.split('*')
  const isExact = openEnd === null && pieces.length === 1
  return { kind: isExact ? 'exact' : 'pattern', pieces, hasOpenEnd: openEnd !== null }
}

/** For deny and ask rules: `maybe` if the part that is known only at run time could make the rule match. */
export function commandMayMatch(pattern: CommandPattern, command: CommandText): Certainty {
  if (pattern.kind === 'any') return 'yes'
  if (matchesText(pattern, command.text) && isMatchCertain(pattern, command)) return 'yes'
  if (command.resolvedLength >= command.text.length) return 'no'
  const knownText = command.text.slice(0, command.resolvedLength)
  const start = pattern.pieces[0] ?? ''
  return start.startsWith(knownText) || knownText.startsWith(start) ? 'maybe' : 'no'
}

/** Whether any part of a command matches the content of a rule; throws if that cannot be decided. */
export function matchesCommandRule(content: string, command: CommandAnalysis | undefined): boolean {
  const pattern = parseCommandPattern(content)
  if (pattern.kind === 'any') return true
  const parts = command?.commands ?? []
  const answers = parts.flatMap(({ canonical }) => canonical.map((text) => commandMayMatch(pattern, text)))
  if (answers.includes('yes')) return true
  if (command?.isUnresolved !== false || answers.includes('maybe'))
    throw new Error(`Cannot match the rule content "${content}": parts of the command are known only at run time.`)
  return false
}

/** For allow rules: the text that the rule requires must be known before the command runs. */
export function commandIsCovered(pattern: CommandPattern, command: CommandText): boolean {
  if (pattern.kind === 'any') return true
  return matchesText(pattern, command.text) && isMatchCertain(pattern, command)
}

/** Whether a match depends only on text that is known before the command runs. */
function isMatchCertain({ pieces, hasOpenEnd }: CommandPattern, { text, resolvedLength }: CommandText): boolean {
  if (resolvedLength >= text.length) return true
  const prefix = pieces[0] ?? ''
  // The character after the prefix must be known too, or its last word could continue.
  return hasOpenEnd && pieces.length === 1 && prefix.length < resolvedLength
}

function matchesText({ pieces, hasOpenEnd }: CommandPattern, text: string): boolean {
  if (!hasOpenEnd) return matchesPieces(pieces, text)
  return matchesPieces(pieces, text) || matchesPieces([...pieces.slice(0, -1), `${pieces.at(-1) ?? ''} `, ''], text)
}

/** Matches each piece at its first position after the previous one, so that any pattern takes a single pass. */
function matchesPieces(pieces: readonly string[], text: string): boolean {
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
