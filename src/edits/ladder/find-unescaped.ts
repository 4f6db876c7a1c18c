import { findTrailingSpace } from './find-trailing-space.js'
import { findVerbatim } from './find-verbatim.js'
import { type FoldedEdit, type Haystack, hasSubstance, type Match } from './match.js'

/** Finds the text after undoing literal escapes: `\n` for a newline, `\"` for a quote. */
export function findUnescaped(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  if (!hasSubstance(edit.oldText)) return []
  const found = new Map<string, Match>()
  for (const kinds of KINDS) {
    const unescaped = unescapeEdit(edit, kinds)
    if (unescaped === undefined) continue
    for (const match of findPlainly(haystack, unescaped)) found.set(`${match.start}-${match.end}`, match)
  }
  return [...found.values()]
}

/** Escapes undone together. Quotes may be over-escaped while `\n` inside string literals is intended, and the reverse. */
const ALL_KINDS = 'nrt"\'`\\'
const KINDS = [ALL_KINDS, '"\'`', 'nrt'] as const

const CHARACTERS: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' }

function findPlainly(haystack: Haystack, edit: FoldedEdit): readonly Match[] {
  const verbatim = findVerbatim(haystack, edit)
  return verbatim.length > 0 ? verbatim : findTrailingSpace(haystack, edit)
}

function unescapeEdit({ oldText, newText }: FoldedEdit, kinds: string): FoldedEdit | undefined {
  const used = kindsIn(oldText, kinds)
  if (used === '' || !isEscapedLike(oldText, newText, used)) return undefined
  return { oldText: undoEscapes(oldText, used), newText: undoEscapes(newText, used) }
}

function kindsIn(text: string, kinds: string): string {
  const found = [...text.matchAll(/\\([\s\S])/g)].map(([, kind]) => kind ?? '')
  return [...new Set(found)].filter((kind) => kinds.includes(kind)).join('')
}

/**
 * The new text must be escaped the same way. If it has such a character unescaped, or an escape that the old text does
 * not have, its escapes may be intended.
 */
function isEscapedLike(oldText: string, newText: string, used: string): boolean {
  const known = kindsIn(oldText, ALL_KINDS)
  const isPlainToo = [...used].some((kind) => {
    const plain = CHARACTERS[kind] ?? kind
    return hasPlain(newText, plain) && !hasPlain(oldText, plain)
  })
  return !isPlainToo && [...kindsIn(newText, ALL_KINDS)].every((kind) => known.includes(kind))
}

function hasPlain(text: string, character: string): boolean {
  return text.replace(/\\[\s\S]/g, '').includes(character)
}

function undoEscapes(text: string, used: string): string {
  return text.replace(/\\r\\n|\\([\s\S])/g, (written, kind: string | undefined) => {
    if (kind === undefined) return used.includes('r') && used.includes('n') ? '\n' : written
    return used.includes(kind) ? (CHARACTERS[kind] ?? kind) : written
  })
}
