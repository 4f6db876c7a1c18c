import type { Steps } from '../../shared/steps.js'
import { findTrailingSpace } from './find-trailing-space.js'
import { findVerbatim } from './find-verbatim.js'
import { type FoldedEdit, type Haystack, hasLetterOrDigit, type Match } from './match.js'

/** Finds the old text after undoing literal escapes: `\n` for a newline, `\"` for a quote. */
export function* findUnescaped(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  if (!hasLetterOrDigit(edit.oldText)) return []
  const foundMatches = new Map<string, Match>()
  for (const kinds of KIND_SETS) {
    const unescapedEdit = yield* unescapeEdit(edit, kinds)
    if (unescapedEdit === undefined) continue
    for (const match of yield* findStrictly(haystack, unescapedEdit))
      foundMatches.set(`${match.start}-${match.end}`, match)
  }
  return [...foundMatches.values()]
}

/** An escape is identified by the character after its backslash. */
const ALL_ESCAPE_KINDS = 'nrt"\'`\\'
/** Escapes undone together. Quotes may be over-escaped while `\n` inside string literals is intended, and the reverse. */
const KIND_SETS = [ALL_ESCAPE_KINDS, '"\'`', 'nrt'] as const

const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' }

function* findStrictly(haystack: Haystack, edit: FoldedEdit): Steps<readonly Match[]> {
  const verbatimMatches = yield* findVerbatim(haystack, edit)
  return verbatimMatches.length > 0 ? verbatimMatches : yield* findTrailingSpace(haystack, edit)
}

function* unescapeEdit({ oldText, newText }: FoldedEdit, kinds: string): Steps<FoldedEdit | undefined> {
  const usedKinds = listKinds(oldText, kinds)
  if (usedKinds === '' || !isEscapedLike(oldText, newText, usedKinds)) return undefined
  return { oldText: yield* undoEscapes(oldText, usedKinds), newText: yield* undoEscapes(newText, usedKinds) }
}

function listKinds(text: string, kinds: string): string {
  const foundKinds = new Set<string>()
  for (let at = text.indexOf('\\'); at !== -1 && foundKinds.size < kinds.length; at = text.indexOf('\\', at + 2)) {
    const kind = text[at + 1] ?? ''
    if (kind !== '' && kinds.includes(kind)) foundKinds.add(kind)
  }
  return [...foundKinds].join('')
}

/**
 * Whether the new text is escaped like the old text. Its escapes may be intended if it contains an unescaped quote, line break
 * or tab that the old text only has escaped, or an escape that the old text does not have.
 */
function isEscapedLike(oldText: string, newText: string, usedKinds: string): boolean {
  const oldKinds = listKinds(oldText, ALL_ESCAPE_KINDS)
  const addsUnescaped = [...usedKinds].some((kind) => {
    const plainCharacter = ESCAPED_CHARACTERS[kind] ?? kind
    return hasUnescaped(newText, plainCharacter) && !hasUnescaped(oldText, plainCharacter)
  })
  return !addsUnescaped && [...listKinds(newText, ALL_ESCAPE_KINDS)].every((kind) => oldKinds.includes(kind))
}

function hasUnescaped(text: string, character: string): boolean {
  return text.replace(/\\[\s\S]/g, '').includes(character)
}

const ESCAPES_PER_STEP = 2_048

function* undoEscapes(text: string, usedKinds: string): Steps<string> {
  const canFoldReturn = usedKinds.includes('r') && usedKinds.includes('n')
  const pieces: string[] = []
  let previousEnd = 0
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', previousEnd)) {
    const isReturn = text.startsWith('\\r\\n', at)
    const kind = text[at + 1] ?? ''
    const end = at + (isReturn ? 4 : 2)
    const isUndone = isReturn ? canFoldReturn : kind !== '' && usedKinds.includes(kind)
    const plainCharacter = isReturn ? '\n' : (ESCAPED_CHARACTERS[kind] ?? kind)
    pieces.push(text.slice(previousEnd, at), isUndone ? plainCharacter : text.slice(at, end))
    previousEnd = end
    if (pieces.length % ESCAPES_PER_STEP === 0) yield
  }
  return pieces.join('') + text.slice(previousEnd)
}
