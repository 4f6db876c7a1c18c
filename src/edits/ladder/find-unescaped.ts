import { findTrailingSpace } from './find-trailing-space.js'
import { findVerbatim } from './find-verbatim.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the old text after undoing literal escapes: `\n` for a newline, `\"` for a quote. */
export function findUnescaped(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText)) return []
  const found = new Map<string, Match>()
  for (const kinds of KIND_SETS) {
    const unescaped = unescapeEdit(edit, kinds)
    if (unescaped === undefined) continue
    for (const match of findStrictly(haystack, unescaped)) found.set(`${match.start}-${match.end}`, match)
  }
  return [...found.values()]
}

/** An escape is identified by the character after its backslash. */
const ALL_KINDS = 'nrt"\'`\\'
/** Escapes undone together. Quotes may be over-escaped while `\n` inside string literals is intended, and the reverse. */
const KIND_SETS = [ALL_KINDS, '"\'`', 'nrt'] as const

const ESCAPED_CHARACTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' }

function findStrictly(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  const verbatim = findVerbatim(haystack, edit)
  return verbatim.length > 0 ? verbatim : findTrailingSpace(haystack, edit)
}

function unescapeEdit({ oldText, newText }: FoldedEdit, kinds: string): FoldedEdit | undefined {
  const usedKinds = listKinds(oldText, kinds)
  if (usedKinds === '' || !isEscapedLike(oldText, newText, usedKinds)) return undefined
  return { oldText: undoEscapes(oldText, usedKinds), newText: undoEscapes(newText, usedKinds) }
}

function listKinds(text: string, kinds: string): string {
  const found = [...text.matchAll(/\\([\s\S])/g)].map(([, kind]) => kind ?? '')
  return [...new Set(found)].filter((kind) => kinds.includes(kind)).join('')
}

/**
 * The new text must be escaped the same way. If only the new text has such a character unescaped, or if it has an escape
 * that the old text does not have, its escapes may be intended.
 */
function isEscapedLike(oldText: string, newText: string, usedKinds: string): boolean {
  const oldKinds = listKinds(oldText, ALL_KINDS)
  const addsUnescaped = [...usedKinds].some((kind) => {
    const plain = ESCAPED_CHARACTERS[kind] ?? kind
    return hasPlain(newText, plain) && !hasPlain(oldText, plain)
  })
  return !addsUnescaped && [...listKinds(newText, ALL_KINDS)].every((kind) => oldKinds.includes(kind))
}

function hasPlain(text: string, character: string): boolean {
  return text.replace(/\\[\s\S]/g, '').includes(character)
}

function undoEscapes(text: string, usedKinds: string): string {
  return text.replace(/\\r\\n|\\([\s\S])/g, (escapeText, kind: string | undefined) => {
    if (kind === undefined) return usedKinds.includes('r') && usedKinds.includes('n') ? '\n' : escapeText
    return usedKinds.includes(kind) ? (ESCAPED_CHARACTERS[kind] ?? kind) : escapeText
  })
}
