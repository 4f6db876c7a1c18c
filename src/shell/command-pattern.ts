import type { CommandText } from './facts.js'

/** The content of a command rule, taken apart at its wildcards. */
export interface CommandPattern {
  readonly kind: 'exact' | 'pattern' | 'any'
  /** The fixed texts between wildcards; one for an exact rule. */
  readonly pieces: readonly string[]
  /** `git push:*`, or the same with a space: the command alone, or with anything behind a space. */
  readonly hasOpenEnd: boolean
}

export type Certainty = 'yes' | 'maybe' | 'no'

/** Reads `npm run test`, `npm run test:*` (which is a trailing ` *`), `git * main` and `*`. */
export function parseCommandPattern(content: string): CommandPattern {
  const text = content.trim().replace(/\s+/g, ' ')
  if (text === '*' || text === ':*') return { kind: 'any', pieces: [], hasOpenEnd: false }
  const open = /(?::\*| \*)$/.exec(text)
  const body = open === null ? text : text.slice(0, open.index).trimEnd()
  const pieces = body.split('*')
  const isExact = open === null && pieces.length === 1
  return { kind: isExact ? 'exact' : 'pattern', pieces, hasOpenEnd: open !== null }
}

/** For rules that restrict: `maybe` where the part that is not known yet could make it match. */
export function commandMayMatch(pattern: CommandPattern, command: CommandText): Certainty {
  if (pattern.kind === 'any') return 'yes'
  if (matchesText(pattern, command.text) && isDecidedBy(pattern, command)) return 'yes'
  if (command.resolvedLength >= command.text.length) return 'no'
  const known = command.text.slice(0, command.resolvedLength)
  const start = pattern.pieces[0] ?? ''
  return start.startsWith(known) || known.startsWith(start) ? 'maybe' : 'no'
}

/** For rules that allow: what the rule fixes must be known before the command runs. */
export function commandIsCovered(pattern: CommandPattern, command: CommandText): boolean {
  if (pattern.kind === 'any') return true
  return matchesText(pattern, command.text) && isDecidedBy(pattern, command)
}

function isDecidedBy({ pieces, hasOpenEnd }: CommandPattern, { text, resolvedLength }: CommandText): boolean {
  if (resolvedLength >= text.length) return true
  const prefix = pieces[0] ?? ''
  // The word boundary has to be known too, or the last word of the prefix could grow into another.
  return hasOpenEnd && pieces.length === 1 && prefix.length < resolvedLength
}

function matchesText({ pieces, hasOpenEnd }: CommandPattern, text: string): boolean {
  if (!hasOpenEnd) return matchesPieces(pieces, text)
  return matchesPieces(pieces, text) || matchesPieces([...pieces.slice(0, -1), `${pieces.at(-1) ?? ''} `, ''], text)
}

/** Each piece is taken at its first place after the one before it: one pass, whatever the pattern. */
function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? ''
  const last = pieces.at(-1) ?? ''
  if (pieces.length <= 1) return text === first
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let from = first.length
  const end = text.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const at = text.indexOf(piece, from)
    if (at === -1 || at + piece.length > end) return false
    from = at + piece.length
  }
  return true
}
